// Keys that jump show a step, a gap or the longest span, and keep bookmarks.
import { beforeEach, expect, it, vi } from 'vitest';
import type { Bookmark } from '$web/state/view';
import type { GapRow } from '$api';
import { jumpActs, type Jumped } from './jump-acts';
import type { Window } from './window';

let shown: Window;
let kept: Bookmark[];
const gaps = [
  [60, 140],
  [300, 304],
  [700, 800],
].map(([start_us, end_us]) => ({ start_us, end_us }) as GapRow);
const trace = {
  steps: () => [1, 2, 3].map((step) => ({ step, start_us: step * 100, end_us: step * 100 + 100, typical: true })),
  end: () => 1000,
  shown: () => shown,
  span: vi.fn<Jumped['span']>(() => null),
  gaps: () => Promise.resolve(gaps),
  show: vi.fn((window: Window) => (shown = window)),
  choose: vi.fn(),
  bookmarks: () => kept,
  keep: (bookmarks: Bookmark[]) => (kept = bookmarks),
  marked: (window: Window) => window,
  say: vi.fn(),
} satisfies Jumped;
const acts = jumpActs(trace);

beforeEach(() => {
  vi.clearAllMocks();
  shown = [0, 200];
  kept = [];
});

it('steps are shown one after the other', () => {
  acts.step(true);
  expect(shown).toEqual([198, 302]);
  acts.step(false);
  expect(shown).toEqual([98, 202]);
  acts.step(false);
  expect(trace.show).toHaveBeenCalledTimes(2);
});

it('gaps are shown one after the other, in both directions, and the end is said', async () => {
  const middles: number[] = [];
  shown = [0, 100];
  for (const forward of [true, true, false, false]) {
    acts.gap(forward);
    await Promise.resolve();
    middles.push((shown[0] + shown[1]) / 2);
  }
  expect(middles).toEqual([120, 302, 120, 120]);
  expect(trace.say).toHaveBeenCalledOnce();
});

it('the longest span needs a chosen one', () => {
  acts.longest('name');
  expect(trace.choose).not.toHaveBeenCalled();
  trace.span.mockReturnValue({ name: 'gemm', longest_row: 7, longest_on_track_row: 9 } as ReturnType<Jumped['span']>);
  acts.longest('name');
  acts.longest('track');
  expect(trace.choose.mock.calls).toEqual([[7], [9]]);
});

it('a bookmark has the name of the chosen span', () => {
  trace.span.mockReturnValue({ name: 'gemm' } as ReturnType<Jumped['span']>);
  acts.bookmark();
  expect(kept).toEqual([{ window: [0, 200], name: 'gemm' }]);
});
