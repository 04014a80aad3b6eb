// A filter is a regular expression; anything else is said, never thrown.
import { expect, it } from 'vitest';
import { compileFilter } from './tag-filter';

it('ignores case, and keeps everything while it is empty or wrong', () => {
  expect(compileFilter('^val/').pattern?.test('VAL/loss')).toBe(true);
  expect(compileFilter('')).toEqual({ pattern: null, problem: null });
  expect(compileFilter('(').problem).toContain('not a regular expression');
});
