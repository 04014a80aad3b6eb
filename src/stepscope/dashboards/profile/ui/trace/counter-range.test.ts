// A counter is shown from zero, unless it only moves far above or below it.
import { expect, it } from 'vitest';
import { counterRange, rangeText } from './counter-range';

it('begins at zero when its samples come near it', () => {
  expect(counterRange({ least: 0, most: 98 })).toEqual([0, 98]);
  expect(counterRange({ least: 40, most: 98 })).toEqual([0, 98]);
  expect(counterRange({ least: -3, most: 5 })).toEqual([-3, 5]);
  expect(counterRange({ least: -98, most: -40 })).toEqual([-98, 0]);
});

it('begins at its smallest sample when it moves little, far from zero', () => {
  expect(counterRange({ least: 900, most: 1000 })).toEqual([900, 1000]);
  expect(counterRange({ least: -1000, most: -900 })).toEqual([-1000, -900]);
});

it('has a height also when it never changes or was never sampled', () => {
  expect(counterRange({ least: 7, most: 7 })).toEqual([0, 7]);
  expect(counterRange({ least: 0, most: 0 })).toEqual([0, 1]);
  expect(counterRange({ least: null, most: null })).toEqual([0, 1]);
});

it('is said in words', () => {
  expect(rangeText({ least: 0, most: 98 })).toBe('0 – 98');
});
