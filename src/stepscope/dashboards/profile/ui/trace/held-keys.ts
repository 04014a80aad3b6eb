// A key that is held acts smoothly, once a frame, instead of in the jumps in which keyboards repeat it.

/** The browser's frames; tests have their own. */
export interface Frames {
  request(next: (now: number) => void): number;
  cancel(id: number): void;
}

const browser: Frames = {
  request: (next) => requestAnimationFrame(next),
  cancel: (id) => cancelAnimationFrame(id),
};

/** After a pause of the browser things go on where they were, not far away. */
const LONGEST_FRAME_MS = 100;

export class HeldKeys {
  private key: string | null = null;
  private frame = 0;
  private last: number | null = null;

  /** `go` does what a key does in some seconds. */
  constructor(
    private readonly go: (key: string, seconds: number) => void,
    private readonly frames: Frames = browser,
  ) {}

  /** The keyboard has repeated a key: it is held until it is let go, or until another one is. */
  hold(key: string): void {
    if (this.key === key) return;
    this.stop();
    this.key = key;
    this.frame = this.frames.request((now) => this.next(now));
  }

  release(key: string): void {
    if (this.key === key) this.stop();
  }

  stop(): void {
    this.frames.cancel(this.frame);
    this.key = null;
    this.last = null;
  }

  private next(now: number): void {
    if (this.key === null) return;
    if (this.last !== null) this.go(this.key, Math.min(now - this.last, LONGEST_FRAME_MS) / 1000);
    this.last = now;
    this.frame = this.frames.request((then) => this.next(then));
  }
}
