// Joins the requests of many cards into few, and stops those that nobody waits for any more.
import type { JobRow } from '$api';
import { seriesKey } from './series';
import type { SeriesRef } from './types';

/** Asks the server: everything but which series is in the query. */
export type FetchSeries<Query, Part> = (
  query: Query,
  series: readonly SeriesRef[],
  signal: AbortSignal,
  progress: (job: JobRow) => void,
) => Promise<Part[]>;

export interface BatchLimits {
  /** Requests made within this time are joined. */
  delayMs: number;
  /** A joined request stays near this many series, so that the first answer comes soon. */
  joinedSeries: number;
  /** The server refuses more than this. */
  maxSeries: number;
  /** Browsers open six connections to a host; live updates need one of them. */
  parallel: number;
}

const DEFAULTS: BatchLimits = { delayMs: 8, joinedSeries: 400, maxSeries: 5000, parallel: 3 };

interface Waiter<Part> {
  refs: readonly SeriesRef[];
  signal: AbortSignal;
  progress(job: JobRow): void;
  resolve(parts: Map<string, Part>): void;
  reject(error: unknown): void;
}

interface Job<Query, Part> {
  query: Query;
  waiters: Waiter<Part>[];
}

function abortError(): DOMException {
  return new DOMException('No longer wanted.', 'AbortError');
}

export class SeriesBatcher<Query, Part extends SeriesRef> {
  private readonly limits: BatchLimits;
  private readonly gathering = new Map<string, Job<Query, Part>>();
  private readonly queue: Job<Query, Part>[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;
  private running = 0;

  constructor(
    private readonly fetchSeries: FetchSeries<Query, Part>,
    limits: Partial<BatchLimits> = {},
  ) {
    this.limits = { ...DEFAULTS, ...limits };
  }

  /** The parts by series key; `progress` hears of an answer that takes long. Rejects with an AbortError when `signal` fires first. */
  load(
    query: Query,
    refs: readonly SeriesRef[],
    signal: AbortSignal,
    progress: (job: JobRow) => void = () => undefined,
  ): Promise<Map<string, Part>> {
    if (refs.length === 0) return Promise.resolve(new Map());
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(abortError());
        return;
      }
      signal.addEventListener('abort', () => reject(abortError()), { once: true });
      const key = JSON.stringify(query);
      const job: Job<Query, Part> = this.gathering.get(key) ?? { query, waiters: [] };
      job.waiters.push({ refs, signal, progress, resolve, reject });
      this.gathering.set(key, job);
      this.timer ??= setTimeout(() => this.flush(), this.limits.delayMs);
    });
  }

  private flush(): void {
    this.timer = null;
    for (const { query, waiters } of this.gathering.values()) {
      let job: Job<Query, Part> = { query, waiters: [] };
      let size = 0;
      for (const waiter of waiters) {
        if (size > 0 && size + waiter.refs.length > this.limits.joinedSeries) {
          this.queue.push(job);
          job = { query, waiters: [] };
          size = 0;
        }
        job.waiters.push(waiter);
        size += waiter.refs.length;
      }
      this.queue.push(job);
    }
    this.gathering.clear();
    this.pump();
  }

  private pump(): void {
    while (this.running < this.limits.parallel) {
      const job = this.queue.shift();
      if (job === undefined) return;
      job.waiters = job.waiters.filter((waiter) => !waiter.signal.aborted);
      if (job.waiters.length === 0) continue;
      this.running++;
      void this.run(job).finally(() => {
        this.running--;
        this.pump();
      });
    }
  }

  private async run({ query, waiters }: Job<Query, Part>): Promise<void> {
    const stop = new AbortController();
    const stopWhenUnwanted = (): void => {
      if (waiters.every((waiter) => waiter.signal.aborted)) stop.abort();
    };
    for (const waiter of waiters) waiter.signal.addEventListener('abort', stopWhenUnwanted, { once: true });
    const wanted = new Map<string, SeriesRef>();
    for (const { refs } of waiters) for (const ref of refs) wanted.set(seriesKey(ref.run, ref.tag), ref);
    const progress = (row: JobRow): void => {
      for (const waiter of waiters) if (!waiter.signal.aborted) waiter.progress(row);
    };
    try {
      const refs = [...wanted.values()];
      const parts = new Map<string, Part>();
      for (let from = 0; from < refs.length; from += this.limits.maxSeries) {
        const some = refs.slice(from, from + this.limits.maxSeries);
        const answer = await this.fetchSeries(query, some, stop.signal, progress);
        for (const part of answer) parts.set(seriesKey(part.run, part.tag), part);
      }
      for (const waiter of waiters) waiter.resolve(pick(parts, waiter.refs));
    } catch (error) {
      for (const waiter of waiters) waiter.reject(error);
    }
  }
}

function pick<Part>(parts: Map<string, Part>, refs: readonly SeriesRef[]): Map<string, Part> {
  const found = new Map<string, Part>();
  for (const { run, tag } of refs) {
    const part = parts.get(seriesKey(run, tag));
    if (part !== undefined) found.set(seriesKey(run, tag), part);
  }
  return found;
}
