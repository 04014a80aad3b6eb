// @vitest-environment happy-dom
// A piece is fetched once, however often it is asked for, and the rest is left alone when one does not come.
import { expect, it, vi } from 'vitest';
import { defaultOf, fetchWhenIdle, OnDemand } from './on-demand.svelte';

it('is fetched once, when it is first asked for', async () => {
  const load = vi.fn(async () => ({ default: 'code' }));
  const piece = defaultOf(load);
  expect(load).not.toHaveBeenCalled();
  await Promise.all([piece.fetch(), piece.fetch()]);
  await piece.fetch();
  expect(load).toHaveBeenCalledTimes(1);
  expect(piece.value).toBe('code');
  expect(piece.failed).toBe(false);
});

it('remembers that it did not come', async () => {
  const piece = new OnDemand(() => Promise.reject(new Error('gone')));
  await piece.fetch();
  expect(piece.failed).toBe(true);
  expect(piece.value).toBeUndefined();
});

it('fetches ahead in order, up to the first that does not come, unless it is stopped', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'requestIdleCallback'] });
  const asked: string[] = [];
  const piece = (name: string, comes = true): OnDemand<string> =>
    new OnDemand(() => {
      asked.push(name);
      return comes ? Promise.resolve(name) : Promise.reject(new Error(name));
    });
  fetchWhenIdle([piece('a'), piece('b', false), piece('c')]);
  fetchWhenIdle([piece('d')])();
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(['a', 'b']);
  vi.useRealTimers();
});
