// Bookmarks have names of their own, at most a hundred letters, and there are at most fifty.
import { expect, it } from 'vitest';
import { MOST_BOOKMARKS, renamed, withBookmark } from './bookmarks';

it('a bookmark without a name is numbered, and one whose name is taken too', () => {
  let made = withBookmark([], [1.00004, 2], '');
  made = withBookmark(made, [3, 4], '');
  made = withBookmark(made, [5, 6], 'gemm');
  made = withBookmark(made, [7, 8], 'gemm');
  expect(made.map(({ name }) => name)).toEqual(['Bookmark 1', 'Bookmark 2', 'gemm', 'gemm 2']);
  expect(made[0]?.window).toEqual([1, 2]);
});

it('names and numbers are bounded, and an empty name changes nothing', () => {
  expect(withBookmark([], [0, 1], 'n'.repeat(1_000_000))[0]?.name).toHaveLength(100);
  let many = withBookmark([], [0, 1], 'first');
  for (let i = 0; i < 60; i += 1) many = withBookmark(many, [0, 1], '');
  expect(many).toHaveLength(MOST_BOOKMARKS);
  expect(many.map(({ name }) => name)).not.toContain('first');
  expect(renamed(withBookmark([], [0, 1], 'a'), 0, ' b ')[0]?.name).toBe('b');
  expect(renamed(withBookmark([], [0, 1], 'a'), 0, '  ')[0]?.name).toBe('a');
});
