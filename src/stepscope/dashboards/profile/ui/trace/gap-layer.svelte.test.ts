// @vitest-environment happy-dom
// Gaps are asked for around the window, and the longest of the whole profile once.
import { flushSync } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import { serve } from '$web/api/fixture';
import { GapLayer } from './gap-layer.svelte';
import type { Window } from './window';

afterEach(() => vi.unstubAllGlobals());

it('asks for the window with as much again at both sides, and once for all', async () => {
  const gap = { start_us: 5, end_us: 9 };
  const asked = serve(() => JSON.stringify({ reading: null, answer: { range: null, rows: [gap] } }));
  let shown = $state.raw<Window | null>(null);
  let layer: GapLayer | undefined;
  const stop = $effect.root(() => {
    layer = new GapLayer(
      () => ({ session: 's', worker: 'w', steps: 'marks' }),
      () => shown,
    );
  });
  flushSync();
  expect(asked).toEqual([]);
  shown = [100, 150];
  flushSync();
  await vi.waitFor(() => expect(layer?.rows).toEqual([gap]));
  for (const part of ['start_us=50', 'end_us=200', 'steps=marks']) expect(asked[0]?.path).toContain(part);
  expect(await layer?.all(1000)).toEqual([gap]);
  expect(await layer?.all(1000)).toEqual([gap]);
  expect(asked).toHaveLength(2);
  stop();
});
