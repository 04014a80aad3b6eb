// Long lists draw what is on screen, no less, and little more.
import { expect, it } from 'vitest';
import { lineTops, longestTexts, movedBy, visibleLines, visibleRange } from './window';

it('finds lines of equal height', () => {
  expect(visibleLines(1000, 24, 0, 240, 2)).toEqual({ first: 0, end: 12 });
  expect(visibleLines(1000, 24, 2400, 240, 0)).toEqual({ first: 100, end: 110 });
  expect(visibleLines(5, 24, 9999, 240, 2)).toEqual({ first: 5, end: 5 });
  expect(visibleLines(0, 24, 0, 240, 2)).toEqual({ first: 0, end: 0 });
});

it('finds lines of different heights', () => {
  const tops = lineTops([36, 272, 272, 36, 412]);
  expect(tops).toEqual([0, 36, 308, 580, 616, 1028]);
  expect(visibleRange(tops, 0, 100, 0)).toEqual({ first: 0, end: 2 });
  expect(visibleRange(tops, 36, 272, 0)).toEqual({ first: 1, end: 3 });
  expect(visibleRange(tops, 600, 5000, 0)).toEqual({ first: 3, end: 5 });
  expect(visibleRange(tops, 600, 10, 300)).toEqual({ first: 1, end: 5 });
  expect(visibleRange([0], 0, 100, 0)).toEqual({ first: 0, end: 0 });
});

it('covers the viewport at every position', () => {
  const heights = Array.from({ length: 200 }, (_, i) => 30 + (i % 7) * 40);
  const tops = lineTops(heights);
  for (let top = 0; top < (tops[200] ?? 0); top += 13) {
    const { first, end } = visibleRange(tops, top, 700, 0);
    expect(tops[first]).toBeLessThanOrEqual(top);
    expect(tops[end]).toBeGreaterThanOrEqual(Math.min(top + 700, tops[200] ?? 0));
  }
});

it('tells how far what is on screen has moved', () => {
  const placed = (keys: string) => ({
    lines: [...keys].map((key) => ({ key })),
    tops: lineTops([...keys].map(() => 100)),
  });
  expect(movedBy(placed('abcd'), placed('xyabcd'), 150)).toBe(200);
  expect(movedBy(placed('xyabcd'), placed('abcd'), 350)).toBe(-200);
  expect(movedBy(placed('abcd'), placed('abcdxy'), 150)).toBe(0);
  // The line itself went: the next one counts.
  expect(movedBy(placed('abcd'), placed('xacd'), 150)).toBe(0);
  expect(movedBy(placed('ab'), placed('xy'), 0)).toBe(0);
});

it('finds the longest text of each column', () => {
  expect(
    longestTexts([
      ['a', '12', ''],
      ['abc', '1', ''],
    ]),
  ).toEqual(['abc', '12', '']);
  expect(longestTexts([])).toEqual([]);
});
