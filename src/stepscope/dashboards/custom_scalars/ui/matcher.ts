// Has patterns matched one after another in a worker; one that takes too long is given up, and the next gets a new worker.
import { tooSlow, type Matched } from './patterns';

const LIMIT_MS = 500;

/** The part of a Worker that is needed. */
export interface Matching {
  onmessage: ((event: MessageEvent<'ready' | Matched>) => void) | null;
  postMessage(message: unknown): void;
  terminate(): void;
}

interface Job {
  pattern: string;
  done: (found: Matched) => void;
}

export class Matcher {
  private worker: Matching | null = null;
  private ready = false;
  private tags: readonly string[] = [];
  private known = new Map<string, Promise<Matched>>();
  private waiting: Job[] = [];
  private current: Job | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly make: () => Matching,
    private readonly limit = LIMIT_MS,
  ) {}

  match(pattern: string, tags: readonly string[]): Promise<Matched> {
    if (tags !== this.tags) {
      this.tags = tags;
      this.known = new Map();
      this.worker?.postMessage({ tags });
    }
    const known = this.known.get(pattern);
    if (known !== undefined) return known;
    const found = new Promise<Matched>((done) => this.waiting.push({ pattern, done }));
    this.known.set(pattern, found);
    this.next();
    return found;
  }

  private next(): void {
    if (this.current !== null || this.waiting.length === 0) return;
    this.worker ??= this.start();
    // The time that a worker takes to start is not the pattern's.
    if (!this.ready) return;
    const job = this.waiting.shift();
    if (job === undefined) return;
    this.current = job;
    this.worker.postMessage({ pattern: job.pattern });
    this.timer = setTimeout(() => this.giveUp(job), this.limit);
  }

  private start(): Matching {
    const worker = this.make();
    worker.onmessage = ({ data }) => {
      if (data === 'ready') this.ready = true;
      else this.finish(data);
      this.next();
    };
    worker.postMessage({ tags: this.tags });
    return worker;
  }

  private finish(found: Matched): void {
    clearTimeout(this.timer);
    this.current?.done(found);
    this.current = null;
  }

  private giveUp({ pattern }: Job): void {
    this.worker?.terminate();
    this.worker = null;
    this.ready = false;
    this.finish({ tags: [], all: 0, problem: tooSlow(pattern) });
    this.next();
  }
}

/** All charts share one. */
export const matcher = new Matcher(
  () => new Worker(new URL('./pattern-worker.ts', import.meta.url), { type: 'module' }),
);
