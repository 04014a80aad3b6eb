// How much room the window has: on a phone or under strong zoom the run list covers the page instead of standing beside it.

/** Below this width a list and a chart do not fit side by side. */
const NARROW = '(width < 720px)';

class Room {
  narrow = $state.raw(false);
  /** On a narrow page: whether the run list covers it. */
  listOpen = $state.raw(false);

  constructor() {
    const query = globalThis.matchMedia?.(NARROW);
    if (query === undefined) return;
    this.narrow = query.matches;
    query.addEventListener('change', ({ matches }) => {
      this.narrow = matches;
      this.listOpen = false;
    });
  }
}

export const room = new Room();
