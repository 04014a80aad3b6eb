// What the Communication part makes of its answer: the row of no operation, and bandwidths that may be more.
import { describe, expect, it } from 'vitest';
import type { CollectiveRow } from '$api';
import { bandwidth, rowsOf } from './communication-answers';

describe('rowsOf', () => {
  const row = (kind: string, ms: number): CollectiveRow => ({
    ...{
      kind,
      group: '0',
      ranks: 2,
      ranks_here: 2,
      bytes: 4,
      dtype: '',
      count: 2,
      count_per_step: 1,
      ms,
      exposed_ms: ms,
      overlapped_ms: 0,
    },
    ...{ waiting_ms: 0, transfer_ms: ms, each_us: 1, algorithm_bytes_per_second: 1, bus_bytes_per_second: 1 },
    ...{ bandwidth_is_lower_bound: false, split: 'split by 2 ranks' },
  });
  it('has the time in which no rank runs anything as a row of its own', () => {
    const rows = rowsOf([row('allreduce', 3), row('barrier', 1)], 2);
    expect(rows.map(({ kind, ms, count }) => [kind, ms, count]).filter((_, place) => place !== 1)).toEqual([
      ['allreduce', 3, 2],
      ['barrier', 1, 2],
    ]);
    expect(rows[1]).toMatchObject({ ms: 2, exposed_ms: 2, count: 0 });
  });
  it('has no such row where that is unknown', () => {
    expect(rowsOf([row('allreduce', 3)], null)).toHaveLength(1);
  });
});

describe('bandwidth', () => {
  it('has three digits', () => {
    expect(bandwidth(12_345_000_000, false)).toBe('12.3');
    expect(bandwidth(234_500_000_000, false)).toBe('235');
  });
  it('says when it may be more', () => {
    expect(bandwidth(1_000_000_000, true)).toBe('≥\u202f1');
  });
  it('is never 0, and empty when unknown', () => {
    expect(bandwidth(1_000, false)).toBe('<\u202f0.01');
    expect(bandwidth(null, false)).toBe('');
  });
});
