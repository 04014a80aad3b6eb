// Values in which ranks differ are counted once.
import { expect, it } from 'vitest';
import { valuesOf } from './rank-values';

it('counts the ranks that have each value, the most common first', () => {
  expect(valuesOf({ what: 'steps', values: ['5', '6', '6', '6'] })).toEqual([
    { value: '6', ranks: 3 },
    { value: '5', ranks: 1 },
  ]);
});
