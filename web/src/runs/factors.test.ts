// Whether a setting is tried by factors, by its name and range.
import { expect, test } from 'vitest';
import { triedByFactors } from './factors';

test.each([
  ['batch', 8, 512, false],
  ['width', 8, 800, true],
  ['optimizer.lr', 1e-3, 3e-3, true],
  ['lr', 1e-3, 2e-3, false],
  ['weight_decay', 0, 1, false],
  ['mlr', 1, 10, false],
])('%s from %d to %d', (name, low, high, log) => {
  expect(triedByFactors(name, low, high)).toBe(log);
});
