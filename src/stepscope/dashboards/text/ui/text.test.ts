// Differences turn one text into the other with the fewest lines, and tensors of strings keep their rows.
import { expect, it } from 'vitest';
import { differenceOf } from '$web/media/difference';
import { tableOf } from './tables';

const written = (before: string, after: string): string =>
  differenceOf(before, after)
    .map(({ change, text }) => `${change === 'same' ? ' ' : change === 'out' ? '-' : '+'}${text}`)
    .join('|');

it('shows lines that were taken out, put in and kept', () => {
  expect(written('a\nb\nc', 'a\nB\nc')).toBe(' a|-b|+B| c');
  expect(written('a', 'a')).toBe(' a');
  expect(written('', 'a\nb')).toBe('-|+a|+b');
  expect(written('a\nb\nc\na\nb\nb\na', 'c\nb\na\nb\na\nc').match(/[-+]/g)).toHaveLength(5);
});

it('always makes the one text out of the other', () => {
  let seed = 7;
  const random = (most: number): number => (seed = (seed * 48271) % 2147483647) % most;
  const text = (): string => Array.from({ length: random(12) }, () => 'abcd'[random(4)]).join('\n');
  for (let round = 0; round < 500; round++) {
    const [before, after] = [text(), text()];
    const lines = differenceOf(before, after);
    const of = (without: string): string =>
      lines
        .filter(({ change }) => change !== without)
        .map((line) => line.text)
        .join('\n');
    expect([of('in'), of('out')]).toEqual([before, after]);
  }
});

it('gives up on the fewest when nearly all differs, and stays right', () => {
  const [before, after] = [1, 2].map((by) => Array.from({ length: 3000 }, (_, i) => `${i * by + by}`).join('\n'));
  const lines = differenceOf(before ?? '', after ?? '');
  expect(
    lines
      .filter(({ change }) => change !== 'in')
      .map(({ text }) => text)
      .join('\n'),
  ).toBe(before);
});

it('makes a table of several strings, and a text of one', () => {
  expect(tableOf([], ['x'])).toBeNull();
  expect(tableOf([1], ['x'])).toBeNull();
  expect(tableOf([3], ['a', 'b', 'c'])).toEqual({ labels: [], rows: [['a'], ['b'], ['c']] });
  expect(tableOf([2, 2], ['a', 'b', 'c', 'd'])).toEqual({
    labels: [],
    rows: [
      ['a', 'b'],
      ['c', 'd'],
    ],
  });
  expect(tableOf([2, 1, 2], ['a', 'b', 'c', 'd'])?.labels).toEqual(['[0, 0]', '[1, 0]']);
  expect(tableOf([0], [])).toBeNull();
});
