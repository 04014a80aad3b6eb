// Ranks are listed by rank, by their own step time or by host, and lie on the axis by the clock that is chosen.
import { describe, expect, it } from 'vitest';
import type { TraceRank, TraceRanks } from '$api';
import { canAlign, extentOf, inOrder, ROW, rowsShown, startOf, stragglerOf } from './rank-order';

const rank = (number: number, more: Partial<TraceRank> = {}): TraceRank => ({
  worker: `rank_${number}`,
  host: 'a',
  rank: number,
  recorded_us: 0,
  aligned_us: null,
  end_us: 100,
  steps: 3,
  step_us: 10,
  own_us: 10,
  breakdown: { compute: 1, communication: 0, copy: 0, input_wait: 0, host: 0, untraced: 0 },
  damaged: false,
  ...more,
});
const names = (ranks: readonly TraceRank[]): string[] => ranks.map(({ worker }) => worker);
const all = (ranks: TraceRank[], more: Partial<TraceRanks> = {}): TraceRanks => ({
  range: null,
  ranks,
  total: ranks.length,
  slowest: '',
  waited_for: '',
  clock_error_us: null,
  clocks_from: 0,
  clock_groups: 0,
  broken: [],
  ...more,
});

describe('the order of ranks', () => {
  const ranks = [
    rank(0, { host: 'b' }),
    rank(1, { own_us: 30, host: 'a' }),
    rank(2, { own_us: 90, damaged: true, host: 'b' }),
    rank(3, { own_us: 20, host: 'a' }),
  ];

  it('is theirs, or the slowest first with damaged ones last, or by host', () => {
    expect(names(inOrder(ranks, ''))).toEqual(['rank_0', 'rank_1', 'rank_2', 'rank_3']);
    expect(names(inOrder(ranks, 'slow'))).toEqual(['rank_1', 'rank_3', 'rank_0', 'rank_2']);
    expect(names(inOrder(ranks, 'host'))).toEqual(['rank_1', 'rank_3', 'rank_0', 'rank_2']);
  });

  it('marks the one that others wait for, else the slowest, else none', () => {
    expect(stragglerOf(all(ranks, { waited_for: 'rank_1', slowest: 'rank_3' }))?.worker).toBe('rank_1');
    expect(stragglerOf(all(ranks, { slowest: 'rank_3' }))?.worker).toBe('rank_3');
    expect(stragglerOf(all(ranks))).toBeNull();
  });
});

describe('places on the axis', () => {
  const one = rank(0, { recorded_us: 0, aligned_us: 40 });
  const other = rank(1, { recorded_us: 3_600_000, aligned_us: 0 });

  it('are by the common clock or by their own', () => {
    expect(extentOf([one, other], false)).toEqual([0, 140]);
    expect(extentOf([one, other], true)).toEqual([0, 3_600_100]);
    expect(startOf(rank(2, { recorded_us: 7 }), false)).toBe(7);
  });

  it('can be aligned where any of them is', () => {
    expect(canAlign(all([one, other]))).toBe(true);
    expect(canAlign(all([rank(0)]))).toBe(false);
  });

  it('are something without ranks too', () => {
    expect(extentOf([], false)).toEqual([0, 1]);
  });
});

describe('rows on screen', () => {
  it('are those that have a pixel there', () => {
    expect(rowsShown(10_000, 0, 3 * ROW)).toEqual([0, 3]);
    expect(rowsShown(10_000, 1.5 * ROW, 3 * ROW)).toEqual([1, 5]);
    expect(rowsShown(2, 0, 9 * ROW)).toEqual([0, 2]);
    expect(rowsShown(2, 50 * ROW, 9 * ROW)).toEqual([2, 2]);
  });
});
