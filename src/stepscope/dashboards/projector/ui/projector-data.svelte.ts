// What the tab has of the server: the list, the opened points, and the layout as it grows.
import type { LayoutRequest, PointsRequest } from '$api';
import { isAbort } from '$web/api/client';
import { fetchPoints, followLayout, stopLayout, type JobRow, type Laid, type Points } from './answers';

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export class ProjectorData {
  points = $state.raw<Points | null>(null);
  laid = $state.raw<Laid | null>(null);
  /** The job that reads or lays out. */
  job = $state.raw<JobRow | null>(null);
  problem = $state.raw<string | null>(null);
  private reading = new AbortController();
  private laying = new AbortController();

  constructor(private readonly server = { fetchPoints, followLayout, stopLayout }) {}

  /** Opens an embedding in place of the one before, whose layout goes with it when the points are others. */
  async open(named: PointsRequest, sameSeries: boolean): Promise<void> {
    this.reading.abort();
    this.reading = new AbortController();
    const { signal } = this.reading;
    if (!sameSeries) {
      this.laying.abort();
      [this.points, this.laid] = [null, null];
    }
    [this.problem, this.job] = [null, null];
    try {
      const points = await this.server.fetchPoints(named, signal, (job) => (this.job = job));
      if (signal.aborted) return;
      if (this.laid !== null && this.points?.count !== points.count) this.laid = null;
      [this.points, this.job] = [points, null];
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      [this.points, this.laid, this.job, this.problem] = [null, null, null, wordsOf(error)];
    }
  }

  /** Lays the points out; the old layout is shown until the new one comes. */
  async layOut(asked: LayoutRequest): Promise<void> {
    this.laying.abort();
    this.laying = new AbortController();
    const { signal } = this.laying;
    this.problem = null;
    try {
      await this.server.followLayout(asked, signal, (laid, job) => {
        if (signal.aborted) return;
        if (laid !== null) this.laid = laid;
        this.job = job?.state === 'cancelled' ? null : job;
      });
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      [this.job, this.problem] = [null, wordsOf(error)];
    }
  }

  /** Ends the work on the server; what has come so far stays, and can be gone on from. */
  async stop(): Promise<void> {
    const { job } = this;
    if (job === null) return;
    this.laying.abort();
    this.job = null;
    try {
      await this.server.stopLayout(job);
    } catch (error) {
      this.problem = wordsOf(error);
    }
  }

  close(): void {
    this.reading.abort();
    this.laying.abort();
  }
}
