// Counters have their samples as numbers, and a dash where nothing is known.
import type { CounterRow } from '$api';
import { NONE } from '$web/draw/number';
import { expect, it } from 'vitest';
import { COUNTER_COLUMNS } from './counter-columns';

const row = {
  name: 'sm_active',
  process: 'GPU 0',
  samples: 12_345,
  least: 0,
  mean: 0.5,
  most: 2_500_000,
  last: null,
  step_mean: null,
} as unknown as CounterRow;
const texts = Object.fromEntries(COUNTER_COLUMNS.map((column) => [column.key, column.text(row)]));

it('has a column for every number', () => {
  expect(Object.keys(texts)).toEqual(['name', 'process', 'samples', 'least', 'mean', 'most', 'last', 'step_mean']);
  expect(COUNTER_COLUMNS.filter(({ numeric }) => !numeric).map(({ key }) => key)).toEqual(['name', 'process']);
});

it('writes them for people, and keeps them for sorting', () => {
  expect([texts['least'], texts['mean'], texts['last'], texts['step_mean']]).toEqual(['0', '0.5', NONE, NONE]);
  expect(texts['samples']?.replace(/\D/g, '')).toBe('12345');
  expect(COUNTER_COLUMNS.map((column) => column.raw(row))).toEqual([
    'sm_active',
    'GPU 0',
    12_345,
    0,
    0.5,
    2_500_000,
    null,
    null,
  ]);
});
