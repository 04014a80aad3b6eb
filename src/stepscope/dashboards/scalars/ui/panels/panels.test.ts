// Panels over the run table: numbers on scales, words beside each other, bars from zero, and what has no value is left out.
import { describe, expect, it } from 'vitest';
import { aRun } from '$web/runs/fixture';
import type { SortFacts } from '$web/runs/order';
import { makeRows, type Row } from '$web/runs/rows';
import type { SortKey } from '$web/state/view';
import { barsOf } from './bars';
import { describeDrawn, isDrawn, nameOfKey, textOf, titleOf } from './column-values';
import { axisOf, dotsOf, nearestDot } from './scatter';

const rows = makeRows(
  ['a', 'b', 'c', 'd'].map((name) => aRun(name)),
  false,
);
const named = (values: Record<string, number | undefined>) => (row: Row) => values[row.name];
const losses = named({ a: 0.5, b: -1, c: Number.NaN, d: 2 });
const settings: Record<string, string | undefined> = { a: '0.001', b: '1', c: '0.1' };
const facts: SortFacts = {
  valueOf: (row) => losses(row),
  settingOf: (row) => settings[row.name],
  hostsOf: () => [],
};
const loss: SortKey = { kind: 'min', tag: 'loss', role: null };
const rate: SortKey = { setting: 'lr' };

describe('dots', () => {
  it('are runs with both values', () => {
    expect(dotsOf(rows, rate, loss, facts).map(({ row, x, y }) => [row.name, x, y])).toEqual([
      ['a', 0.001, 0.5],
      ['b', 1, -1],
    ]);
  });

  it('are found near the pointer alone', () => {
    const places = [
      { x: 0, y: 0 },
      { x: 30, y: 40 },
    ];
    expect(nearestDot(places, { x: 27, y: 36 }, 10)).toBe(1);
    expect(nearestDot(places, { x: 15, y: 20 }, 10)).toBeNull();
  });
});

describe('an axis', () => {
  it('is logarithmic for settings that differ by factors, and for others on request', () => {
    expect(axisOf(rate, [0.001, 1], [0, 100], false).log).toBe(true);
    expect(axisOf(rate, [1, 50], [0, 100], false).log).toBe(false);
    expect(axisOf(rate, [0, 1000], [0, 100], true).log).toBe(false);
    expect(axisOf(loss, [0.001, 1], [0, 100], false).log).toBe(false);
    expect(axisOf(loss, [0.001, 1], [0, 100], true).log).toBe(true);
  });

  it('has all values inside, also when there is one', () => {
    for (const values of [[5], [0], [-2, 3], [1e-5, 1e5]]) {
      const axis = axisOf(loss, values, [10, 110], false);
      for (const value of values) {
        expect(axis.place(value)).toBeGreaterThan(10);
        expect(axis.place(value)).toBeLessThan(110);
      }
    }
  });

  it('has words beside each other in their order', () => {
    const axis = axisOf(rate, ['b10', 'b9', 3], [0, 300], false);
    expect(axis.ticks.map((tick) => [tick.label, tick.at])).toEqual([
      ['3', 50],
      ['b9', 150],
      ['b10', 250],
    ]);
    expect(axis.place('b9')).toBe(150);
  });
});

it('draws bars from zero, the best first', () => {
  const bars = barsOf(rows, loss, facts);
  expect(bars.map(({ row, from, length }) => [row.name, from, length])).toEqual([
    ['b', 0, 1 / 3],
    ['a', 1 / 3, 0.5 / 3],
    ['d', 1 / 3, 2 / 3],
  ]);
  expect(barsOf(rows, { ...loss, kind: 'max' }, facts).map(({ row }) => row.name)).toEqual(['d', 'a', 'b']);
});

it('says what is left out', () => {
  expect(describeDrawn(3, 3)).toBe('3 runs');
  expect(describeDrawn(2, 3)).toMatch(/^2 of 3 runs/);
  expect([Number.NaN, Infinity, undefined, ''].some(isDrawn)).toBe(false);
});

it('names columns and their values', () => {
  expect(nameOfKey(loss)).toBe('Lowest loss');
  expect(titleOf({ kind: 'scatter', x: rate, y: loss })).toBe('Lowest loss against lr');
  expect(titleOf({ kind: 'formula', formula: 'exp(loss)' })).toBe('exp(loss)');
  expect(textOf({ column: 'points' }, 1234567)).toBe('1\u202f234\u202f567');
  expect(textOf(rate, 'cosine')).toBe('cosine');
});
