// The table below a chart has the value at the cursor or the last one, the extremes in view, and an order of its own.
import { expect, it } from 'vitest';
import type { Curve } from '../charts/types';
import { sortLines, tableLines } from './value-table';

function curve(label: string, y: number[], more: Partial<Curve> = {}): Curve {
  const x = Float64Array.from(y, (_, i) => 10 * i);
  return {
    key: label,
    label,
    colour: '#000',
    dash: 'solid',
    x,
    y: Float64Array.from(y),
    step: x,
    wall: x,
    segment: new Int32Array(y.length),
    yExtent: y.length === 0 ? null : [Math.min(...y), Math.max(...y)],
    yInner: null,
    xExtent: y.length === 0 ? null : [0, 10 * (y.length - 1)],
    ...more,
  };
}

const curves = [curve('b', [3, 1, 2]), curve('a10', [5, 9, 7, 8]), curve('a9', []), curve('c', [4, 4, 0])];
const read = (at: number | null) =>
  tableLines(curves, at).map(({ curve: { label }, value, x, low, high }) => [label, value, x, low, high]);

it('has the last value and the extremes without a cursor', () => {
  expect(read(null)).toEqual([
    ['b', 2, 20, 1, 3],
    ['a10', 8, 30, 5, 9],
    ['a9', undefined, undefined, undefined, undefined],
    ['c', 0, 20, 0, 4],
  ]);
});

it('has the nearest value at the cursor, and says where it is', () => {
  expect(read(12).map(([label, value, x]) => [label, value, x])).toEqual([
    ['b', 1, 10],
    ['a10', 9, 10],
    ['a9', undefined, undefined],
    ['c', 4, 10],
  ]);
});

it('takes what the server says about a pinned place', () => {
  const [first, second] = tableLines(curves, 12, new Map([['b', { value: 1.5, x: 12 }]]));
  expect([first?.value, first?.x, second?.value]).toEqual([1.5, 12, 9]);
});

it('has the band of a group where its mean is', () => {
  const x = Float64Array.of(0, 10);
  const group = curve('g', [1, 2], { band: { x, low: Float64Array.of(0, 1.5), high: Float64Array.of(3, 2.5) } });
  expect(tableLines([group], null)[0]).toMatchObject({ value: 2, low: 1.5, high: 2.5 });
  expect(tableLines([group], 1)[0]).toMatchObject({ value: 1, low: 0, high: 3 });
});

it('sorts by any column, with lines without a value at the end', () => {
  const order = (...how: [Parameters<typeof sortLines>[1], boolean]) =>
    sortLines(tableLines(curves, null), ...how).map((line) => line.curve.label);
  expect(order('value', true)).toEqual(['a10', 'b', 'c', 'a9']);
  expect(order('value', false)).toEqual(['c', 'b', 'a10', 'a9']);
  expect(order('low', false)).toEqual(['c', 'b', 'a10', 'a9']);
  expect(order('high', true)).toEqual(['a10', 'c', 'b', 'a9']);
  expect(order('name', false)).toEqual(['a9', 'a10', 'b', 'c']);
});
