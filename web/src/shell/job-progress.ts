// How far a job is, as a share and in words.
import type { Job } from '../api/jobs';
import { count } from '../widgets/format';

const OUTCOMES = { done: 'Finished', failed: 'Failed', cancelled: 'Cancelled' };

/** 0 to 1; null when it is not known. */
export function shareOf(job: Job): number | null {
  if (job.state === 'done') return 1;
  return job.total === null || job.total === 0 ? null : Math.min(1, job.done / job.total);
}

export function wordsOf(job: Job): string {
  if (job.state === 'queued') return 'Waiting for other jobs';
  if (job.state !== 'running') return job.error === null ? OUTCOMES[job.state] : `Failed. ${job.error}`;
  const counted = job.total === null ? count(job.done) : `${count(job.done)} of ${count(job.total)}`;
  const parts = [job.unit === '' ? '' : `${counted} ${job.unit}`, job.words].filter((part) => part !== '');
  return parts.length === 0 ? 'Running' : parts.join(', ');
}
