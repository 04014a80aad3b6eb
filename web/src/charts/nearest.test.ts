// The line nearest to the pointer is found, and the tooltip has the right values in the right order.
import { describe, expect, it } from 'vitest';
import { curveOf, plotOf } from './fixture';
import { marksNear, nearestIndex, readAt, readings, tooltipRows } from './nearest';

const flat = (value: number, label: string) => curveOf([value, value, value], { label, key: label });

describe('nearestIndex', () => {
  const xs = Float64Array.of(0, 10, 20);
  it.each([
    [-5, 0],
    [4, 0],
    [5, 0],
    [6, 1],
    [99, 2],
  ])('%d', (x, index) => expect(nearestIndex(xs, x)).toBe(index));
});

describe('readings', () => {
  const plot = plotOf([0, 2], [0, 10]);
  it('sorts lines by their distance in pixels', () => {
    const curves = [flat(1, 'low'), flat(8, 'high'), flat(5, 'middle')];
    const found = readings(curves, plot, 50, 48);
    expect(found.map((r) => r.curve.label)).toEqual(['middle', 'high', 'low']);
    expect(found[0].distance).toBeCloseTo(2);
  });
  it('measures to the line, not to its points', () => {
    const steep = curveOf([0, 10], { x: Float64Array.of(0, 2) });
    expect(readings([steep], plot, 50, 50)[0].distance).toBeCloseTo(0);
  });
  it('leaves out runs that ended long before the pointer', () => {
    const short = curveOf([5, 5], { x: Float64Array.of(0, 0.5), label: 'short' });
    expect(readings([short, flat(5, 'long')], plot, 90, 50).map((r) => r.curve.label)).toEqual(['long']);
    expect(readings([short], plot, 30, 50)).toHaveLength(1);
  });
  it('skips curves without points', () => expect(readings([curveOf([])], plot, 50, 50)).toEqual([]));
});

describe('readAt', () => {
  it('reports the smoothed and the raw value of the same step', () => {
    const base = curveOf([4, 8, 6]);
    const curve = { ...base, smooth: { x: base.x, y: Float64Array.of(4, 5, 5.5), segment: base.segment } };
    expect(readAt(curve, 0, 1.1)).toMatchObject({ x: 1, value: 5, raw: 8, step: 1, wall: 1_794_770_001 });
  });
  it('prefers the newest of two segments at one step', () => {
    const curve = curveOf([1, 2, 3, 9, 8], {
      x: Float64Array.of(0, 1, 2, 1, 2),
      segment: Int32Array.of(0, 0, 0, 1, 1),
    });
    expect(readAt(curve, 0, 1)).toMatchObject({ value: 9, x: 1 });
    expect(readAt(curve, 0, 0)).toMatchObject({ value: 1 });
  });
});

describe('tooltipRows', () => {
  const plot = plotOf([0, 2], [0, 10]);
  const found = readings([flat(1, 'run10'), flat(9, 'run2'), flat(5, 'run1')], plot, 50, 50);
  const names = (rows: number, sort: Parameters<typeof tooltipRows>[2]) =>
    tooltipRows(found, rows, sort).map((r) => r.curve.label);
  it('keeps the nearest and sorts them as asked', () => {
    expect(names(5, 'value')).toEqual(['run2', 'run1', 'run10']);
    expect(names(5, 'value_ascending')).toEqual(['run10', 'run1', 'run2']);
    expect(names(5, 'name')).toEqual(['run1', 'run2', 'run10']);
    expect(names(1, 'value')).toEqual(['run1']);
  });
});

describe('marksNear', () => {
  it('finds marks a few pixels around the pointer and counts those of one kind', () => {
    const marks = { x: Float64Array.of(0.5, 0.98, 1, 1.02, 1.9), kind: Uint8Array.of(1, 1, 2, 1, 3) };
    const found = marksNear([curveOf([1], { marks })], plotOf([0, 2], [0, 1]), 50, 3);
    expect(found.map(({ x, kind, count }) => [x, kind, count])).toEqual([
      [0.98, 1, 2],
      [1, 2, 1],
    ]);
  });
});
