// The jobs of this user as the server last told of them, and who on this page waits for one.
import { cancelJob, fetchJobs, isOver, type Job } from '../api/jobs';
import { messages } from './messages.svelte';

const STAYS_MS = 60_000;

class JobsState {
  /** Jobs at work, and those that this page saw finish a moment ago. */
  shown = $state.raw<readonly Job[]>([]);
  private readonly atWork = new Set<string>();
  private readonly staying = new Set<string>();
  private list: readonly Job[] = [];
  private readonly waiting = new Map<string, (job: Job) => void>();

  /** Takes over the whole list. */
  take(list: readonly Job[]): void {
    this.list = list;
    for (const job of list) {
      if (!isOver(job)) this.atWork.add(job.id);
      else if (this.atWork.delete(job.id)) this.end(job);
    }
    this.shown = list.filter((job) => !isOver(job) || this.staying.has(job.id));
  }

  /** What was missed while the connection was gone. */
  async catchUp(): Promise<void> {
    if (this.atWork.size === 0) return;
    try {
      const list = await fetchJobs();
      // A server that was started again knows nothing of them.
      const lost = this.list.filter(({ id }) => this.atWork.has(id) && list.every((job) => job.id !== id));
      this.take([...list, ...lost.map((job): Job => ({ ...job, state: 'cancelled' }))]);
    } catch (error) {
      messages.fail(error);
    }
  }

  /** The job once it has finished, one way or another. */
  finished(job: Job): Promise<Job> {
    // The live feed may have been faster than the answer that brought the job.
    const newest = this.list.find((one) => one.id === job.id && isOver(one)) ?? job;
    if (isOver(newest)) return Promise.resolve(newest);
    this.take([...this.list.filter((one) => one.id !== job.id), job]);
    return new Promise((resolve) => this.waiting.set(job.id, resolve));
  }

  async cancel(id: string): Promise<void> {
    try {
      const job = await cancelJob(id);
      this.take(this.list.map((one) => (one.id === id ? job : one)));
    } catch (error) {
      messages.fail(error);
    }
  }

  private end(job: Job): void {
    if (job.state === 'done') messages.say(`Finished: ${job.title}.`);
    else if (job.state === 'cancelled') messages.say(`Cancelled: ${job.title}.`);
    else messages.fail(`Failed: ${job.title}. ${job.error ?? ''}`);
    this.waiting.get(job.id)?.(job);
    this.waiting.delete(job.id);
    this.staying.add(job.id);
    setTimeout(() => {
      this.staying.delete(job.id);
      this.shown = this.shown.filter((one) => one.id !== job.id);
    }, STAYS_MS);
  }
}

export const jobs = new JobsState();
