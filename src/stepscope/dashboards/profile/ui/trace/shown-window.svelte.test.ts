// @vitest-environment happy-dom
// The window follows the address at once, and the address follows the window a moment later.
import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { view } from '$web/state/choices.svelte';
import { defaultView } from '$web/state/view';
import { ShownWindow } from './shown-window.svelte';

let shown: ShownWindow;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(view, defaultView());
  stop = $effect.root(() => {
    shown = new ShownWindow(
      () => [0, 5000],
      () => 10_000,
    );
  });
  flushSync();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  Object.assign(view, defaultView());
});

it('an address without a window shows the first one; another address is followed at once', () => {
  expect(shown.current).toEqual([0, 5000]);
  view.profile.window = [9000, 12_000];
  flushSync();
  expect(shown.current).toEqual([7000, 10_000]);
});

it('the address is written once, to the nanosecond, after the last move', () => {
  shown.show([100, 200]);
  shown.show([100.00049, 300]);
  expect(view.profile.window).toBeNull();
  vi.runAllTimers();
  flushSync();
  expect(view.profile.window).toEqual([100, 300]);
  expect(shown.current).toEqual([100.00049, 300]);
  shown.show([0, 5000]);
  vi.runAllTimers();
  expect(view.profile.window).toBeNull();
});
