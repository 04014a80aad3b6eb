// A piece of the page that is fetched when it is first needed and kept from then on.

export class OnDemand<T> {
  /** Undefined until the piece has arrived. */
  value = $state.raw<T>();
  failed = $state(false);
  #load: () => Promise<T>;
  #asked: Promise<void> | null = null;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** Fetches the piece unless that has been done. A failure stays: browsers and Vite remember what did not arrive. */
  fetch(): Promise<void> {
    this.#asked ??= this.#load().then(
      (value) => void (this.value = value),
      (error: unknown) => {
        this.failed = true;
        // Whoever looks for the reason finds it where browsers tell of failed requests.
        console.error(error);
      },
    );
    return this.#asked;
  }
}

/** The default export of a module, on demand. */
export function defaultOf<T>(load: () => Promise<{ default: T }>): OnDemand<T> {
  return new OnDemand(async () => (await load()).default);
}

/** What is open asks for its data first. */
const IDLE_AFTER_MS = 1000;

/** Safari has no requestIdleCallback. */
const idle = (): Promise<unknown> =>
  new Promise((done) =>
    'requestIdleCallback' in window ? window.requestIdleCallback(done, { timeout: 5000 }) : setTimeout(done, 100),
  );

/** Fetches pieces one after the other while the browser has nothing else to do, so that opening them takes no time. */
export function fetchWhenIdle(pieces: readonly OnDemand<unknown>[]): () => void {
  let stopped = false;
  const fetchAll = async (): Promise<void> => {
    for (const piece of pieces) {
      await idle();
      if (stopped) return;
      await piece.fetch();
      // A server that did not answer is not asked for the rest.
      if (piece.failed) return;
    }
  };
  const timer = setTimeout(() => void fetchAll(), IDLE_AFTER_MS);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
