// All cards of a section share the range that holds each of theirs.
import { beforeEach, expect, it } from 'vitest';
import { sharedRanges } from './shared-range.svelte';

beforeEach(() => {
  for (const card of ['a', 'b']) sharedRanges.report('loss', card, null);
});

it('is from the lowest to the highest of a section', () => {
  sharedRanges.report('loss', 'a', [0, 2]);
  sharedRanges.report('loss', 'b', [-1, 1]);
  sharedRanges.report('accuracy', 'a', [50, 100]);
  expect(sharedRanges.of('loss')).toEqual([-1, 2]);
  sharedRanges.report('loss', 'b', [1, 1.5]);
  expect(sharedRanges.of('loss')).toEqual([0, 2]);
  sharedRanges.report('accuracy', 'a', null);
});

it('forgets cards that are no more on screen', () => {
  sharedRanges.report('loss', 'a', [0, 2]);
  sharedRanges.report('loss', 'a', null);
  expect(sharedRanges.of('loss')).toBeNull();
  expect(sharedRanges.of('unknown')).toBeNull();
});

it('tells nobody of a range that is the same', () => {
  sharedRanges.report('loss', 'a', [0, 2]);
  const before: unknown = Reflect.get(sharedRanges, 'ranges');
  sharedRanges.report('loss', 'a', [0, 2]);
  sharedRanges.report('loss', 'b', null);
  expect(Reflect.get(sharedRanges, 'ranges')).toBe(before);
});
