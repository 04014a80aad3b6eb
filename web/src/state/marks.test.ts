// @vitest-environment happy-dom
// Nothing is asked about marks before there are runs to ask about.
import { afterEach, expect, it, vi } from 'vitest';
import { marks } from './marks.svelte';

afterEach(() => vi.unstubAllGlobals());

it('asks nothing without runs', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address);
    return Promise.resolve(new Response('{}'));
  });
  const stop = marks.follow();
  await Promise.resolve();
  stop();
  expect(asked).toEqual([]);
  expect(marks.list).toEqual([]);
});
