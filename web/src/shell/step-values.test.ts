// The table is in order of value, and what is not a number comes last.
import { expect, it } from 'vitest';
import type { TableRow } from '../api/types';
import { valueRows } from './step-values';

const row = (run: string, more: Partial<TableRow>): TableRow => ({
  run,
  tag: 't',
  count: 1,
  value: null,
  smoothed: null,
  step: 5,
  wall: null,
  relative: null,
  first: null,
  last: null,
  min: null,
  min_step: null,
  max: null,
  max_step: null,
  mean: null,
  change: null,
  change_fraction: null,
  ...more,
});

it('orders by value at a step', () => {
  const rows = [
    row('a', { value: 1 }),
    row('b', { value: 'NaN' }),
    row('c', { value: 'Infinity' }),
    row('d', { count: 0 }),
    row('e', { value: -3 }),
  ];
  expect(valueRows(rows, false).map((one) => one.run)).toEqual(['c', 'a', 'e', 'b']);
});

it('has the smoothed value beside the raw one', () => {
  expect(valueRows([row('a', { value: 7, smoothed: 6.5 })], false)[0]).toMatchObject({ value: 7, smoothed: 6.5 });
});

it('shows the last value of a range', () => {
  const [only] = valueRows([row('a', { value: 7, last: 2, min: 1, change: '-Infinity' })], true);
  expect(only).toMatchObject({ value: 2, min: 1, change: -Infinity });
});
