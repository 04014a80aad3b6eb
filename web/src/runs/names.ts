// Finds what run names share at their start, so that the list can grey it.

const BREAK = /[/_\-, ]/;

/** Length of the start that all names share, cut back to a word's end so that no word is torn. */
export function sharedPrefix(names: readonly string[]): number {
  if (names.length < 2) return 0;
  const first = names[0] ?? '';
  let length = first.length;
  for (const name of names) {
    let same = 0;
    while (same < length && name.charCodeAt(same) === first.charCodeAt(same)) same++;
    length = same;
  }
  while (length > 0 && !BREAK.test(first.charAt(length - 1))) length--;
  return length;
}

/** Cuts a name for two boxes: the first may shrink with an ellipsis, the end, from a word's start if one is near, stays. */
export function cutForMiddle(name: string, keep = 12): [string, string] {
  if (name.length <= keep + 4) return ['', name];
  const about = name.length - keep;
  /** The nearest place after such a character, or -1 when none is within `reach`. */
  const startNear = (isBreak: (character: string) => boolean, reach: number): number => {
    for (let away = 0; away <= reach; away++) {
      for (const place of [about + away, about - away]) if (place > 0 && isBreak(name.charAt(place - 1))) return place;
    }
    return -1;
  };
  const folder = startNear((character) => character === '/', 6);
  const word = folder > 0 ? folder : startNear((character) => BREAK.test(character), 4);
  if (word > 0) return [name.slice(0, word), name.slice(word)];
  return [name.slice(0, about), name.slice(about)];
}

/** What is left of a name without the folders that all share. */
export function withoutSharedFolders(name: string, shared: number): string {
  return name.slice(name.slice(0, shared).lastIndexOf('/') + 1);
}

/** layer2 comes before layer10. */
const natural = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
export function compareNames(a: string, b: string): number {
  return natural.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}
