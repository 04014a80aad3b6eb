// The bitmaps say which runs have a tag, least significant bit first.
import { expect, it } from 'vitest';
import { TagIndex } from './tags';

it('finds the runs of a tag across bytes', () => {
  const runs = Array.from({ length: 10 }, (_, i) => `run${i}`);
  const bits = btoa(String.fromCharCode(0b00000101, 0b00000010));
  const tag = { name: 'loss', kind: 'scalar', display_name: null, description: null, points: 1, series: 3, runs: bits };
  const index = new TagIndex({ runs, tags: [tag, { ...tag, name: 'img', kind: 'image' }] });
  expect(runs.filter((run) => index.has(run, 'loss'))).toEqual(['run0', 'run2', 'run9']);
  expect(index.has('unknown', 'loss')).toBe(false);
  expect(index.has('run0', 'unknown')).toBe(false);
  expect(index.scalars().map((one) => one.name)).toEqual(['loss']);
  expect(index.ofKind('image').map((one) => one.name)).toEqual(['img']);
});

it('keeps the kinds of one name apart', () => {
  const tag = { name: 'w', display_name: null, description: null, points: 1, series: 1 };
  const bits = (byte: number): string => btoa(String.fromCharCode(byte));
  const index = new TagIndex({
    runs: ['a', 'b'],
    tags: [
      { ...tag, kind: 'scalar', runs: bits(1) },
      { ...tag, kind: 'histogram', runs: bits(2) },
    ],
  });
  expect([index.has('a', 'w'), index.has('b', 'w')]).toEqual([true, false]);
  expect([index.has('a', 'w', 'histogram'), index.has('b', 'w', 'histogram')]).toEqual([false, true]);
  expect(index.get('w')?.kind).toBe('scalar');
});
