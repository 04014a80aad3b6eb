// Groups in the inspector show what their lines show, and over a range what their members have.
import { expect, it } from 'vitest';
import type { TableRow } from '../api/types';
import { groupRowsAt, groupRowsOver, rangeAround } from './group-values';
import type { ValueRow } from './step-values';

const row = (run: string, more: Partial<ValueRow> = {}): ValueRow => ({
  run,
  value: 1,
  smoothed: null,
  step: 5,
  min: 0,
  max: 2,
  mean: 1,
  change: -1,
  changeFraction: null,
  ...more,
});
const low = { name: 'low', role: null, runs: ['a', 'b'] };
const high = { name: 'high', role: null, runs: ['c'] };
const none = { name: 'none', role: null, runs: [] };
const part = (mid: number[]) => ({
  name: '',
  runs: 2,
  n_min: 1,
  n_max: 2,
  ended: 0,
  marks: null,
  x: Float64Array.from(mid, (_, i) => 10 * i),
  mid: Float64Array.from(mid),
  low: Float64Array.from(mid, (v) => v - 0.5),
  high: Float64Array.from(mid, (v) => v + 0.5),
  n: Int32Array.from(mid, (_, i) => i + 1),
});

it('reads each line at the place nearest to the pinned x, highest first', () => {
  const rows = groupRowsAt([low, high, none], [part([1, 2]), part([7, 8]), part([])], 9, [row('a'), row('c')]);
  expect(rows.map(({ group, value, low, high, n }) => [group.name, value, low, high, n])).toEqual([
    ['high', 8, 7.5, 8.5, 2],
    ['low', 2, 1.5, 2.5, 2],
  ]);
  expect(rows[1]?.members.map((member) => member.run)).toEqual(['a']);
});

it('summarises the members over a range', () => {
  const members = [row('a', { value: 1, min: -3, max: 2 }), row('b', { value: 3, min: 0, max: 5, change: -3 })];
  expect(groupRowsOver([low, high], members)).toMatchObject([
    { group: low, value: 2, low: -3, high: 5, mean: 1, change: -2, n: 2 },
  ]);
});

it('asks for the part of x in which every run has its nearest point', () => {
  const at = (step: number, count = 1) => ({ step, count, relative: step / 10, wall: null }) as TableRow;
  expect(rangeAround([at(90), at(100), at(500, 0)], 'step')).toEqual([90, 100]);
  expect(rangeAround([at(90), at(100)], 'relative')).toEqual([expect.closeTo(9), expect.closeTo(10)]);
  expect(rangeAround([at(1, 0)], 'step')).toBeNull();
});
