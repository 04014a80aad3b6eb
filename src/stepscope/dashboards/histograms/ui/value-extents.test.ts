// Cards of one tag share their axis of values over the runs that are shown.
import { expect, it } from 'vitest';
import { padded, union, valueExtents } from './value-extents.svelte';

it('spans what the shown runs have', () => {
  expect(union([])).toBeNull();
  expect(valueExtents.of('grid w', new Set(['a']))).toBeNull();
  valueExtents.report('grid w', 'a', [0, 1]);
  valueExtents.report('grid w', 'b', [-3, 0.5]);
  valueExtents.report('grid other', 'a', [100, 200]);
  expect(valueExtents.of('grid w', new Set(['a', 'b', 'c']))).toEqual([-3, 1]);
  expect(valueExtents.of('grid w', new Set(['a']))).toEqual([0, 1]);
  valueExtents.report('grid w', 'b', null);
  expect(valueExtents.of('grid w', new Set(['a', 'b']))).toEqual([0, 1]);
});

it('has room around, also around one value', () => {
  expect(padded([0, 100], 0.04)).toEqual([-4, 104]);
  expect(padded([2, 2], 0)).toEqual([1, 3]);
  expect(padded([0, 0], 0)).toEqual([-0.5, 0.5]);
});
