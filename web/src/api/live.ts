// Follows the server's live events, and reconnects with a countdown when it goes away.
import type { Job, JobsAnswer } from './jobs';
import type { Delta, Folder } from './types';

export type Connection = { state: 'connecting' } | { state: 'open' } | { state: 'gone'; retryAt: number };

export interface LiveHandlers {
  hello(folder: Folder): void;
  delta(delta: Delta): void;
  jobs(jobs: readonly Job[]): void;
  connection(connection: Connection): void;
}

/** The part of EventSource that is used, so that tests can stand in for it. */
export interface EventStream {
  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void;
  close(): void;
}

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
    stream.addEventListener('hello', (event) => {
      this.failures = 0;
      this.heard();
      this.handlers.connection({ state: 'open' });
      this.handlers.hello(JSON.parse(String(event.data)) as Folder);
    });
    stream.addEventListener('delta', (event) => {
      this.heard();
      this.handlers.delta(JSON.parse(String(event.data)) as Delta);
    });
    stream.addEventListener('jobs', (event) => {
      this.heard();
      this.handlers.jobs((JSON.parse(String(event.data)) as JobsAnswer).jobs);
    });
    stream.addEventListener('ping', () => this.heard());
    stream.addEventListener('error', () => this.lost());
    this.heard();
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
