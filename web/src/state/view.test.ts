// Ranges of a mouse are kept short without moving visibly.
import { expect, it } from 'vitest';
import { roundRange } from './view';

it.each([
  [
    [5217.809389661242, 9740.562937062938],
    [5217.8, 9740.6],
  ],
  [
    [0.24916421536230637, 1.8369276219706856],
    [0.2492, 1.8369],
  ],
  [
    [1794782520.123, 1794786120.9],
    [1794782520.1, 1794786120.9],
  ],
  [
    [0, 12345678],
    [0, 12346000],
  ],
  [
    [1, 1],
    [1, 1],
  ],
])('%o → %o', (range, rounded) => {
  expect(roundRange(range as [number, number])).toEqual(rounded);
});
