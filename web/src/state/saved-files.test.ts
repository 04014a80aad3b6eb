// A file is downloaded once the job that makes it is done; one that was cancelled or could not be started is not.
// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import type { Job } from '../api/jobs';
import { openDownload } from '../widgets/clipboard';
import { messages } from './messages.svelte';
import { saveMade } from './saved-files';

vi.mock('../widgets/clipboard', () => ({ openDownload: vi.fn() }));

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
  expect(openDownload).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(/api\/v1\/profile\/html\/a$/),
    'train.html',
  );
});

it('downloads nothing of a cancelled job', async () => {
  vi.mocked(openDownload).mockClear();
  await saveMade(Promise.resolve(job('cancelled', null)), 'train.html');
  expect(openDownload).not.toHaveBeenCalled();
});

it('says why a job could not be started', async () => {
  vi.mocked(openDownload).mockClear();
  const said = vi.spyOn(messages, 'fail');
  const problem = new Error('The page is not built.');
  await saveMade(Promise.reject(problem), 'train.html');
  expect(said).toHaveBeenCalledExactlyOnceWith(problem);
  expect(openDownload).not.toHaveBeenCalled();
});
