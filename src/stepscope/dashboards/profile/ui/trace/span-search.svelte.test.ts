// @vitest-environment happy-dom
// A search asks for what is typed, keeps the names it found bright, and goes around its hits.
import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serve } from '$web/api/fixture';
import { view } from '$web/state/choices.svelte';
import { defaultView } from '$web/state/view';
import { besideHit, SpanSearch } from './span-search.svelte';

beforeEach(() => Object.assign(view, defaultView()));
afterEach(() => {
  Object.assign(view, defaultView());
  vi.unstubAllGlobals();
});

it('asks once something is typed, and forgets when it is cleared', async () => {
  const row = { row: 3, name: 'gemm', track: 1, line: 0, start_us: 20, duration_us: 5 };
  const asked = serve(() =>
    JSON.stringify({
      reading: null,
      answer: { range: null, total: 1, names: [{ name: 'gemm', count: 1, total_us: 5 }], names_total: 1, rows: [row] },
    }),
  );
  let search: SpanSearch | undefined;
  const stop = $effect.root(() => {
    search = new SpanSearch(() => ({ session: 's', worker: 'w' }));
  });
  flushSync();
  expect(asked).toEqual([]);
  expect(search?.bright).toBeNull();
  view.profile.searched = '/ge.*/';
  flushSync();
  await vi.waitFor(() => expect(search?.starts).toEqual([20]));
  expect(asked[0]?.path).toContain('regex=true');
  expect([...(search?.bright ?? [])]).toEqual(['gemm']);
  view.profile.searched = ' ';
  flushSync();
  expect(search?.found).toBeNull();
  stop();
});

it('goes around its hits, and begins at the end that is nearer', () => {
  expect([besideHit(3, -1, true), besideHit(3, -1, false)]).toEqual([0, 2]);
  expect([besideHit(3, 2, true), besideHit(3, 0, false), besideHit(3, 1, true)]).toEqual([0, 2, 2]);
});
