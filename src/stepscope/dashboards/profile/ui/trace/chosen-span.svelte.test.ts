// @vitest-environment happy-dom
// A chosen span is where it was clicked, and then where the server says.
import { flushSync } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import { serve } from '$web/api/fixture';
import { ChosenSpan } from './chosen-span.svelte';
import type { Picked } from './paint';

afterEach(() => vi.unstubAllGlobals());

it('is known by its click until the server has answered', async () => {
  serve(() =>
    JSON.stringify({
      reading: null,
      answer: { range: null, row: 7, name: 'gemm', track_id: 2, line: 1, start_us: 40, duration_us: 10, links: [] },
    }),
  );
  let row = $state.raw<number | null>(null);
  let chosen: ChosenSpan | undefined;
  const stop = $effect.root(() => {
    chosen = new ChosenSpan(
      () => ({ session: 's', worker: 'w' }),
      () => row,
    );
  });
  flushSync();
  expect(chosen?.place).toBeNull();
  if (chosen !== undefined) chosen.clicked = { row: 7, track: 2, line: 1, start: 41, end: 50 } as Picked;
  row = 7;
  flushSync();
  expect(chosen?.place).toMatchObject({ start: 41, end: 50 });
  await vi.waitFor(() => expect(chosen?.span?.name).toBe('gemm'));
  expect(chosen?.place).toEqual({ row: 7, track: 2, line: 1, start: 40, end: 50 });
  row = 8;
  expect(chosen?.span).toBeNull();
  expect(chosen?.place).toBeNull();
  stop();
});
