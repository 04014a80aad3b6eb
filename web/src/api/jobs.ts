// Long work on the server: its rows, starting an export, and cancelling.
import type { JobRow, JobsAnswer } from '$api';
import { getJson, postJson } from './client';
import type { SegmentsMode, SeriesRef } from './types';

export type Job = JobRow;
export type { JobsAnswer };

export const isOver = (job: Job): boolean => job.state !== 'queued' && job.state !== 'running';

export const fetchJobs = async (): Promise<Job[]> => (await getJson<JobsAnswer>('jobs')).jobs;

export const cancelJob = (id: string): Promise<Job> => postJson(`jobs/${encodeURIComponent(id)}/cancel`, {});

/** Makes a file of the named series at full resolution. */
export const startExport = (
  format: 'csv' | 'json',
  series: readonly SeriesRef[],
  segments: SegmentsMode,
  fold: boolean,
): Promise<Job> => {
  const run = [...new Set(series.map((one) => one.run))];
  const tag = [...new Set(series.map((one) => one.tag))];
  return postJson('scalars/export', { format, run, tag, segments, fold });
};
