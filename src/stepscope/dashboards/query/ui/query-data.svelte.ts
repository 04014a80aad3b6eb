// The query that runs, and what came of the last one.
import type { QueryAnswer, QueryRequest } from '$api';
import { ApiError, isAbort } from '$web/api/client';
import { cancelJob, type Job } from '$web/api/jobs';
import { runQuery } from './answers';

export const MOST_ROWS = 1000;

export interface Problem {
  message: string;
  /** Letter of `sql` at which it was found. */
  position: number | null;
  sql: string;
}

type Run = (asked: QueryRequest, told: (job: Job) => void, signal: AbortSignal) => Promise<QueryAnswer>;

export class QueryData {
  answer = $state.raw<QueryAnswer | null>(null);
  problem = $state.raw<Problem | null>(null);
  running = $state(false);
  #asking: AbortController | null = null;
  #job: Job | null = null;

  constructor(
    private readonly ask: Run = runQuery,
    private readonly stop: (id: string) => Promise<unknown> = cancelJob,
  ) {}

  /** Runs a query in place of the one that may be running; its answer replaces the last one, an error leaves it. */
  async run(sql: string): Promise<void> {
    this.cancel();
    const asking = (this.#asking = new AbortController());
    this.running = true;
    this.problem = null;
    try {
      const answer = await this.ask({ sql, rows: MOST_ROWS }, (job) => (this.#job = job), asking.signal);
      if (this.#asking === asking) this.answer = answer;
    } catch (error) {
      if (this.#asking === asking && !isAbort(error)) this.problem = problemOf(error, sql);
    } finally {
      if (this.#asking === asking) this.#end();
    }
  }

  /** Stops waiting, and tells the server. */
  cancel(): void {
    this.#asking?.abort();
    if (this.#job !== null) void this.stop(this.#job.id).catch(() => undefined); // it may be over
    this.#end();
  }

  #end(): void {
    this.#asking = null;
    this.#job = null;
    this.running = false;
  }
}

function problemOf(error: unknown, sql: string): Problem {
  const message = error instanceof Error ? error.message : String(error);
  return { message, position: error instanceof ApiError ? error.position : null, sql };
}

/** Line and column of a letter, counted from 1, with the line itself. */
export function placeOf(sql: string, position: number): { line: number; column: number; text: string } {
  const before = sql.slice(0, position);
  const line = before.split('\n').length;
  return { line, column: position - before.lastIndexOf('\n'), text: sql.split('\n')[line - 1] ?? '' };
}
