// Jobs are announced once when they end, those who wait are told, and what finished is shown for a while.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Job } from '../api/jobs';
import { jobs } from './jobs.svelte';
import { messages } from './messages.svelte';

const at = (id: string, state: Job['state']): Job => ({
  id,
  title: `Job ${id}`,
  state,
  done: 0,
  total: null,
  unit: '',
  words: '',
  created: 0,
  finished: null,
  error: null,
  result_at: null,
});
const ids = (): string[] => jobs.shown.map((job) => job.id);

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
});

it('shows a job while it is at work and for a while after', () => {
  jobs.take([at('a', 'running')]);
  expect(ids()).toEqual(['a']);
  jobs.take([at('a', 'done')]);
  expect(ids()).toEqual(['a']);
  vi.advanceTimersByTime(61_000);
  expect(ids()).toEqual([]);
});

it('shows nothing of jobs that had ended before the page was opened', () => {
  jobs.take([at('old', 'done'), at('older', 'failed')]);
  expect(ids()).toEqual([]);
});

it('announces the end once and tells who waits', async () => {
  const finished = jobs.finished(at('b', 'queued'));
  jobs.take([at('b', 'done')]);
  jobs.take([at('b', 'done')]);
  expect((await finished).state).toBe('done');
  expect(messages.list.filter(({ text }) => text.includes('Job b'))).toHaveLength(1);
});

it('is not overtaken by the live feed', async () => {
  jobs.take([at('d', 'done')]);
  expect((await jobs.finished(at('d', 'running'))).state).toBe('done');
});

it('counts a job that the server has forgotten as cancelled', async () => {
  vi.stubGlobal('document', { baseURI: 'http://localhost/' });
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{"jobs":[]}')));
  const finished = jobs.finished(at('e', 'running'));
  await jobs.catchUp();
  expect((await finished).state).toBe('cancelled');
  vi.unstubAllGlobals();
});

it('a job that is over is not waited for', async () => {
  expect((await jobs.finished(at('c', 'done'))).id).toBe('c');
  expect(ids()).toEqual([]);
});
