// Cards of curves stand side by side, a wide one alone, and their lists say when there is more than they show.
import { expect, it } from 'vitest';
import { cardLines, cardSizes, ROW } from './card-size';

it('gives a wide card a line to itself, where it stands', () => {
  const wide = (card: string): boolean => card === 'c';
  expect(cardLines(['a', 'b', 'c', 'd', 'e', 'f'], 2, wide)).toEqual([['a', 'b'], ['c'], ['d', 'e'], ['f']]);
  expect(cardLines(['c'], 3, wide)).toEqual([['c']]);
  expect(cardLines([], 3, wide)).toEqual([]);
});

it('has a row for each run, and one more for how many are left', () => {
  expect([1, 5, 6, 20].map((members) => cardSizes(members, false).list / ROW)).toEqual([1, 5, 6, 6]);
  expect(cardSizes(20, true).list / ROW).toBe(13);
  expect(cardSizes(3, true).chart).toBeGreaterThan(cardSizes(3, false).chart);
});
