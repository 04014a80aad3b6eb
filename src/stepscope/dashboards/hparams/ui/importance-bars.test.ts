// Where the bar of an estimate and its interval are drawn.
import { expect, it } from 'vitest';
import { barOf, isSure } from './importance-bars';

it('is drawn from zero in either direction', () => {
  expect(barOf({ value: 0.5, low: 0.25, high: 2 }, 0, 1)).toEqual({ from: 0, to: 50, start: 25, end: 100, zero: 0 });
  expect(barOf({ value: -0.5, low: -1, high: 0 }, -1, 1)).toEqual({ from: 25, to: 50, start: 0, end: 50, zero: 50 });
  expect(barOf({ value: -0.1, low: -0.2, high: 0.1 }, 0, 1)).toEqual({ from: 0, to: 0, start: 0, end: 10, zero: 0 });
});

it('is sure when zero is outside', () => {
  expect([isSure({ value: 1, low: 0.1, high: 2 }), isSure({ value: -1, low: -2, high: -0.1 })]).toEqual([true, true]);
  expect(isSure({ value: 0.5, low: -0.1, high: 1 })).toBe(false);
});
