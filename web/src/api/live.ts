// Follows the server's live events, and reconnects with a countdown when it goes away.
import type { LiveEvents } from '$api';
import { apiAddress } from './client';
import type { Job } from './jobs';

export type Connection = { state: 'connecting' } | { state: 'open' } | { state: 'gone'; retryAt: number };

export interface LiveHandlers {
  hello(folder: LiveEvents['hello']): void;
  delta(delta: LiveEvents['delta']): void;
  jobs(jobs: readonly Job[]): void;
  connection(connection: Connection): void;
}

/** The part of EventSource that is used, so that tests can stand in for it. */
export interface EventStream {
  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void;
  close(): void;
}

export const openStream = (): EventStream => new EventSource(apiAddress('live'));

const RETRY_SECONDS = [1, 2, 4, 8, 15];
/** The server pings every 15 s; silence for longer than this means that the connection is dead. */
const SILENCE_MS = 40_000;

export class LiveFeed {
  private stream: EventStream | null = null;
  private failures = 0;
  private retryTimer: ReturnType<typeof setTimeout> | null = null;
  private silenceTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly open: () => EventStream,
    private readonly handlers: LiveHandlers,
  ) {}

  connect(): void {
    this.disconnect();
    this.handlers.connection({ state: 'connecting' });
    const stream = this.open();
    this.stream = stream;
    this.on(stream, 'hello', (folder) => {
      this.failures = 0;
      this.handlers.connection({ state: 'open' });
      this.handlers.hello(folder);
    });
    this.on(stream, 'delta', (delta) => this.handlers.delta(delta));
    this.on(stream, 'jobs', ({ jobs }) => this.handlers.jobs(jobs));
    stream.addEventListener('ping' satisfies keyof LiveEvents, () => this.heard());
    stream.addEventListener('error', () => this.lost());
    this.heard();
  }

  private on<Name extends keyof LiveEvents>(
    stream: EventStream,
    name: Name,
    handle: (event: LiveEvents[Name]) => void,
  ): void {
    stream.addEventListener(name, ({ data }) => {
      this.heard();
      handle(JSON.parse(String(data)) as LiveEvents[Name]);
    });
  }

  disconnect(): void {
    this.stream?.close();
    this.stream = null;
    if (this.retryTimer !== null) clearTimeout(this.retryTimer);
    if (this.silenceTimer !== null) clearTimeout(this.silenceTimer);
    this.retryTimer = this.silenceTimer = null;
  }

  private heard(): void {
    if (this.silenceTimer !== null) clearTimeout(this.silenceTimer);
    this.silenceTimer = setTimeout(() => this.lost(), SILENCE_MS);
  }

  private lost(): void {
    this.disconnect();
    const seconds = RETRY_SECONDS[Math.min(this.failures, RETRY_SECONDS.length - 1)] ?? 15;
    this.failures++;
    this.handlers.connection({ state: 'gone', retryAt: Date.now() + seconds * 1000 });
    this.retryTimer = setTimeout(() => this.connect(), seconds * 1000);
  }
}
