// Merging adds tags once, and a card of one tag is not a merged card.
import { expect, it } from 'vitest';
import { mergeTags, readDragged } from './merge';

it('adds tags once and leaves other cards alone', () => {
  const before = [['x', 'y']];
  const merged = mergeTags(before, ['loss'], ['val', 'loss', 'val']);
  expect(merged).toEqual([
    ['x', 'y'],
    ['loss', 'val'],
  ]);
  expect(mergeTags(merged, ['loss'], [])).toEqual(before);
});

it.each(['', '{', '7', '{"a":1}', '[1]'])('ignores a foreign drag of %s', (text) => {
  expect(readDragged(text)).toEqual([]);
});

it('reads its own drag', () => {
  expect(readDragged(JSON.stringify(['a', 'b']))).toEqual(['a', 'b']);
});
