// What changed between profiles carries its sign.
import { expect, test } from 'vitest';
import { changeText } from './compare-memory';

test('a change has a sign and a unit', () => {
  expect([2048, -2048, 0].map(changeText)).toEqual(['+2\u202fKiB', '−2\u202fKiB', '0']);
});
