// A file is downloaded once the job that makes it is done; one that was cancelled or could not be started is not.
// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Job } from '../api/jobs';
import { messages } from './messages.svelte';
import { saveMade } from './saved-files';

const saved: { name: string; address: string }[] = [];

// The link that starts a download is watched, not the module that makes it: files of tests share their modules.
beforeEach(() => {
  saved.length = 0;
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push({ name: this.download, address: this.href });
  });
});
afterEach(() => vi.restoreAllMocks());

const job = (state: Job['state'], result: string | null): Job => ({
  id: 'a',
  title: 'Report',
  state,
  done: 0,
  total: null,
  unit: '',
  words: '',
  created: 0,
  finished: null,
  error: null,
  result_at: result,
});

it('downloads what a finished job made', async () => {
  await saveMade(Promise.resolve(job('done', 'profile/html/a')), 'train.html');
  expect(saved.map(({ name }) => name)).toEqual(['train.html']);
  expect(saved[0]?.address).toMatch(/api\/v1\/profile\/html\/a$/);
});

it('downloads nothing of a cancelled job', async () => {
  await saveMade(Promise.resolve(job('cancelled', null)), 'train.html');
  expect(saved).toEqual([]);
});

it('says why a job could not be started', async () => {
  const said = vi.spyOn(messages, 'fail');
  const problem = new Error('The page is not built.');
  await saveMade(Promise.reject(problem), 'train.html');
  expect(said).toHaveBeenCalledExactlyOnceWith(problem);
  expect(saved).toEqual([]);
});
