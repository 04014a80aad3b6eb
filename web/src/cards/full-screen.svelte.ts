// A card over the whole screen: what opens and closes it, and the height that it has meanwhile.

/** The height of one card while it fills the screen. */
export class FullScreen {
  /** Null while the card is in its place. */
  height = $state.raw<number | null>(null);

  /** Follows the card that this is attached to. */
  readonly follow = (card: HTMLElement): (() => void) => {
    const measure = (): void => {
      this.height = document.fullscreenElement === card ? window.innerHeight : null;
    };
    card.addEventListener('fullscreenchange', measure);
    window.addEventListener('resize', measure);
    return () => {
      card.removeEventListener('fullscreenchange', measure);
      window.removeEventListener('resize', measure);
    };
  };
}

/** The card that a key is meant for: the one that the keyboard is in, or else the one under the pointer. */
export function cardAtHand(): Element | null {
  return document.querySelector('article.card:has(:focus-visible)') ?? document.querySelector('article.card:hover');
}

/** Shows a card over the whole screen, or puts the one that is there back in its place. */
export function toggleFullScreen(card: Element | null): void {
  if (document.fullscreenElement !== null) void document.exitFullscreen();
  else void card?.requestFullscreen();
}
