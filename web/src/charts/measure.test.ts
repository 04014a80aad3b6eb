// @vitest-environment happy-dom
// Texts are shortened in the middle until they fit.
import { expect, it } from 'vitest';
import { fitMiddle, textWidth } from './measure';

const FONT = '12px sans-serif';
const LONG = 'experiments/resnet50/learning_rate_0.1/validation';

it('leaves what fits', () => expect(fitMiddle('loss', 1000, FONT)).toBe('loss'));

it.each([60, 100, 200])('fits into %d pixels with both ends kept', (room) => {
  const short = fitMiddle(LONG, room, FONT);
  expect(textWidth(short, FONT)).toBeLessThanOrEqual(room);
  expect([short[0], short.at(-1)]).toEqual(['e', 'n']);
  expect(short.length).toBeLessThan(LONG.length);
});
