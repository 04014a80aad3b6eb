// Texts side by side: which lines differ.
import { expect, it } from 'vitest';
import { sideBySide } from './comparison';

it('puts lines that replace one another in one row', () => {
  const rows = sideBySide('a\nb\nc\nd', 'a\nx\nd\ne');
  expect(rows.map(({ left, right, same }) => [left, right, same])).toEqual([
    ['a', 'a', true],
    ['b', 'x', false],
    ['c', null, false],
    ['d', 'd', true],
    [null, 'e', false],
  ]);
});
