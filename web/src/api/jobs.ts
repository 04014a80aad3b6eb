// Long work on the server: its rows, starting an export, reloading, and cancelling.
import type { CurvesFileRequest, JobRow } from '$api';
import { getJson, postJson } from './client';
import { addressOf } from './routes';
import type { SegmentsMode, SeriesRef } from './types';

export type Job = JobRow;

export const isOver = (job: Job): boolean => job.state !== 'queued' && job.state !== 'running';

export const fetchJobs = async (): Promise<Job[]> => (await getJson(addressOf('jobs', {}))).jobs;

export const cancelJob = (id: string): Promise<Job> => postJson('jobs/{id}/cancel', { id });

/** Looks at the folder now; the job may go on after the answer. */
export const reloadFolder = async (): Promise<Job> => (await postJson('reload', {})).job;

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

/** Makes one HTML file of runs and charts. */
export const saveCurves = (asked: CurvesFileRequest): Promise<Job> => postJson('scalars/html', asked);
