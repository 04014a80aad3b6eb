// Has graphs laid out by ELK in a worker: its file is kept as it was published, and fetched when the first graph is opened.
import workerFile from 'elkjs/lib/elk-worker.min.js?url';

export interface ElkNode {
  id: string;
  width?: number;
  height?: number;
  x?: number;
  y?: number;
  children?: ElkNode[];
  layoutOptions?: Record<string, string>;
}

export interface ElkEdge {
  id: string;
  sources: [string];
  targets: [string];
  sections?: { startPoint: ElkPoint; endPoint: ElkPoint; bendPoints?: ElkPoint[] }[];
}

interface ElkPoint {
  x: number;
  y: number;
}

export interface ElkGraph extends ElkNode {
  edges: ElkEdge[];
}

/** The part of a Worker that is needed. */
export interface Laying {
  onmessage: ((event: MessageEvent<Reply>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: unknown): void;
  terminate(): void;
}

interface Reply {
  id: number;
  data?: ElkGraph;
  error?: { message?: string };
}

interface Job {
  graph: ElkGraph;
  done: (graph: ElkGraph | null) => void;
  fail: (error: Error) => void;
}

const LIMIT_MS = 30_000;

export class TooLong extends Error {
  constructor() {
    super('The layout takes too long. Close some scopes, or take nodes with many edges out of the main graph.');
  }
}

/** Lays out one graph at a time; of those that wait, only the newest one. */
export class Layouter {
  private worker: Laying | null = null;
  private running: Job | null = null;
  private waiting: Job | null = null;
  private serial = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly make: () => Laying,
    private readonly limit = LIMIT_MS,
  ) {}

  /** Starts the worker, which takes as long as reading a small graph does. */
  start(): void {
    if (this.worker !== null) return;
    this.worker = this.make();
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = () => this.end(new Error('The layout could not be loaded. Reload the page.'));
    this.worker.postMessage({ id: this.serial, cmd: 'register', algorithms: ['layered'] });
  }

  /** Null when a newer graph was asked for in its place. */
  layOut(graph: ElkGraph): Promise<ElkGraph | null> {
    return new Promise((done, fail) => {
      this.waiting?.done(null);
      this.waiting = { graph, done, fail };
      this.next();
    });
  }

  private next(): void {
    if (this.running !== null || this.waiting === null) return;
    this.start();
    [this.running, this.waiting] = [this.waiting, null];
    this.serial += 1;
    this.worker?.postMessage({
      id: this.serial,
      cmd: 'layout',
      graph: this.running.graph,
      layoutOptions: {},
      options: {},
    });
    this.timer = setTimeout(() => this.end(new TooLong()), this.limit);
  }

  private receive(reply: Reply): void {
    if (reply.id !== this.serial || this.running === null) return;
    clearTimeout(this.timer);
    const { done, fail } = this.running;
    this.running = null;
    if (reply.data !== undefined) done(reply.data);
    else fail(new Error('This graph could not be laid out. Close the scope that was opened last.'));
    this.next();
  }

  /** A worker that does not answer is given up; the next graph gets a new one. */
  private end(error: Error): void {
    clearTimeout(this.timer);
    this.worker?.terminate();
    this.worker = null;
    const job = this.running;
    this.running = null;
    job?.fail(error);
    if (job !== null) this.next();
  }
}

export const layouter = new Layouter(() => new Worker(workerFile) as unknown as Laying);
