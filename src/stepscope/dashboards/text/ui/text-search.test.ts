// @vitest-environment happy-dom
// A search is asked for until it has ended, shows what it has found on the way, and can be cancelled.
import { afterEach, expect, it, vi } from 'vitest';
import type { SearchAnswer } from '$api';
import { TextSearch } from './text-search.svelte';

afterEach(() => vi.unstubAllGlobals());

const answer = (state: SearchAnswer['job']['state'], searched: number): SearchAnswer => ({
  epoch: 1,
  job: {
    id: 'abc',
    title: 'Search text',
    state,
    done: searched,
    total: 9,
    unit: 'texts',
    words: '',
    created: 0,
    finished: null,
    error: null,
    result_at: null,
  },
  matches: [],
  searched,
  values: 9,
  complete: state === 'done',
});

/** A server that gives one answer after another; the last request waits until it is given up. */
function serve(...answers: SearchAnswer[]): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (address: string, { method, signal }: RequestInit) => {
    asked.push(`${method ?? 'GET'} ${new URL(address).pathname}`);
    const next = answers.shift();
    if (next !== undefined) return Promise.resolve(new Response(JSON.stringify(next)));
    return new Promise((_, reject) =>
      signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))),
    );
  });
  return asked;
}

it('asks until the search has ended', async () => {
  const asked = serve(answer('running', 3), answer('running', 6), answer('done', 9));
  const search = new TextSearch();
  search.follow({ words: 'loss' });
  await vi.waitFor(() => expect(search.running).toBe(false));
  expect(asked).toEqual(['POST /api/v1/text/search', 'GET /api/v1/text/search/abc', 'GET /api/v1/text/search/abc']);
  expect([search.answer?.searched, search.answer?.complete, search.problem]).toEqual([9, true, null]);
});

it('keeps what was found when it is cancelled', async () => {
  const asked = serve(answer('running', 3));
  const search = new TextSearch();
  search.follow({ words: 'loss' });
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  expect([search.running, search.answer?.searched]).toEqual([true, 3]);
  search.cancel();
  await vi.waitFor(() => expect(search.running).toBe(false));
  expect([search.answer?.searched, search.problem]).toEqual([3, null]);
});

it('shows nothing of a search that another has replaced', async () => {
  serve(answer('done', 9));
  const search = new TextSearch();
  search.follow({ words: 'old' })();
  await Promise.resolve();
  expect(search.answer).toBeNull();
});
