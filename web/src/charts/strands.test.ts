// A curve is cut where its run began anew, and each piece remembers where its points are.
import { describe, expect, it } from 'vitest';
import { curveOf } from './fixture';
import { brightOf, rawOf } from './strands';

describe('strands', () => {
  it('are the curve itself when nothing cuts it', () => {
    const curve = curveOf([3, 1, 2]);
    const [strand, ...others] = rawOf(curve);
    expect([strand.x, strand.y, strand.origin, others]).toEqual([curve.x, curve.y, null, []]);
    expect(rawOf(curve)[0]).toBe(strand);
    expect(rawOf(curveOf([]))).toEqual([]);
  });
  it('have the points of one segment each, in order', () => {
    const curve = curveOf([5, 6, 7, 8], {
      x: Float64Array.of(0, 1, 1, 2),
      segment: Int32Array.of(0, 0, 1, 1),
    });
    expect(rawOf(curve).map(({ segment, x, y, origin }) => [segment, [...x], [...y], [...(origin ?? [])]])).toEqual([
      [0, [0, 1], [5, 6], [0, 1]],
      [1, [1, 2], [7, 8], [2, 3]],
    ]);
  });
  it('are of the smoothed line where there is one', () => {
    const smooth = { x: Float64Array.of(0, 1), y: Float64Array.of(4, 4), segment: new Int32Array(2) };
    const curve = curveOf([3, 5], { smooth });
    expect([...brightOf(curve)[0].y]).toEqual([4, 4]);
    expect([...rawOf(curve)[0].y]).toEqual([3, 5]);
    expect(brightOf(curveOf([3, 5]))[0].y[1]).toBe(5);
  });
});
