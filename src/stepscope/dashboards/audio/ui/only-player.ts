// Of all players on the page one plays at a time: two sounds at once can be told apart by nobody.

let playing: WeakRef<HTMLAudioElement> | null = null;

/** To be called when a player starts; the one that played before pauses. */
export function onlyPlayer(player: HTMLAudioElement): void {
  const before = playing?.deref();
  if (before !== undefined && before !== player) before.pause();
  playing = new WeakRef(player);
}
