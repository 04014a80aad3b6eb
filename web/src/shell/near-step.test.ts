// The nearest logged value of each tag, over all runs that have it.
import { expect, it } from 'vitest';
import { nearestStep, nearValues } from './near-step';

it('finds the nearest step, the earlier of two equally near', () => {
  expect(nearestStep([0, 10, 20], 12)).toBe(10);
  expect(nearestStep([0, 10, 20], 15)).toBe(10);
  expect(nearestStep([0, 10, 20], 99)).toBe(20);
  expect(nearestStep([], 5)).toBeNull();
});

it('takes the nearest of all runs, and the nearest tags first', () => {
  const found = [
    { series: { run: 'a', tag: 'far' }, steps: { step: Float64Array.of(0) } },
    { series: { run: 'a', tag: 'near' }, steps: { step: Float64Array.of(0, 40) } },
    { series: { run: 'b', tag: 'near' }, steps: { step: Float64Array.of(48, 60) } },
    { series: { run: 'b', tag: 'none' }, steps: { step: new Float64Array() } },
  ];
  expect(nearValues('images', found, 50)).toEqual([
    { media: 'images', tag: 'near', step: 48 },
    { media: 'images', tag: 'far', step: 0 },
  ]);
});
