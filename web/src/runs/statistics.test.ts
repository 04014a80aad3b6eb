// Means and their confidence against published values.
import { describe, expect, it } from 'vitest';
import { meanOfRuns, t975 } from './statistics';

it.each([
  [1, 12.7062],
  [2, 4.30265],
  [3, 3.18245],
  [4, 2.77645],
  [9, 2.26216],
  [30, 2.04227],
  [120, 1.97993],
  [1000, 1.96234],
])('has the quantile of t with %i degrees of freedom', (freedom, quantile) => {
  expect(t975(freedom)).toBeCloseTo(quantile, 4);
});

describe('a mean', () => {
  it('has the interval of a textbook', () => {
    // s² = 2.5, s/√n = 0.70711, t(4) = 2.77645.
    const { mean, interval, n } = meanOfRuns([1, 2, 3, 4, 5]) ?? { mean: 0, interval: 0, n: 0 };
    expect([mean, n]).toEqual([3, 5]);
    expect(interval).toBeCloseTo(1.96324, 4);
  });

  it('has none for one value, and an empty one for equal values', () => {
    expect(meanOfRuns([7])).toEqual({ mean: 7, interval: null, n: 1 });
    expect(meanOfRuns([2, 2, 2])).toEqual({ mean: 2, interval: 0, n: 3 });
  });

  it('leaves out what is not finite', () => {
    expect(meanOfRuns([1, Number.NaN, 3, Infinity])?.n).toBe(2);
    expect(meanOfRuns([Number.NaN])).toBeNull();
  });
});
