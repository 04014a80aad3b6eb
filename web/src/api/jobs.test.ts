// @vitest-environment happy-dom
// An export names each run and each tag once.
import { afterEach, expect, it, vi } from 'vitest';
import { startExport } from './jobs';

afterEach(() => vi.unstubAllGlobals());

it('names each run and tag once in an export', async () => {
  let sent: unknown;
  vi.stubGlobal('fetch', (_: string, init: RequestInit) => {
    sent = JSON.parse(String(init.body));
    return Promise.resolve(new Response('{}'));
  });
  const series = [
    { run: 'a', tag: 'loss & more' },
    { run: 'b', tag: 'loss & more' },
  ];
  await startExport('csv', series, 'latest', true);
  expect(sent).toEqual({ format: 'csv', run: ['a', 'b'], tag: ['loss & more'], segments: 'latest', fold: true });
});
