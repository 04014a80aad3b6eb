// Rows sort by any column, and the tree joins folders that hold nothing else.
import { expect, it } from 'vitest';
import { aRun } from './fixture';
import { compareKnown, sortRows, treeLines, type SortFacts, type ValueOf } from './order';
import { makeRows } from './rows';

const rows = makeRows(
  [
    aRun('b/run10', { last_point: 30, points: 3, status: 'live' }),
    aRun('b/run2', { last_point: null, points: 9 }),
    aRun('a/deep/er/run1', { last_point: 10, points: 1 }),
  ],
  false,
);
const names = (sorted: typeof rows): string[] => sorted.map((row) => row.name);
const facts = (valueOf: ValueOf): SortFacts => ({ valueOf, settingOf: () => undefined, hostsOf: () => [] });
const none = facts(() => undefined);

it('sorts names naturally, numbers by value, and the unknown last', () => {
  expect(names(sortRows(rows, { column: 'name' }, false, none))).toEqual(['a/deep/er/run1', 'b/run2', 'b/run10']);
  expect(names(sortRows(rows, { column: 'newest' }, true, none))).toEqual(['b/run10', 'a/deep/er/run1', 'b/run2']);
  expect(names(sortRows(rows, { column: 'newest' }, false, none))).toEqual(['a/deep/er/run1', 'b/run10', 'b/run2']);
  expect(names(sortRows(rows, { column: 'status' }, false, none))[0]).toBe('b/run10');
});

it('sorts by a value of a tag', () => {
  const losses: Record<string, number> = { 'b/run10': 2, 'b/run2': 1 };
  const sorted = sortRows(
    rows,
    { kind: 'min', tag: 'loss', role: null },
    false,
    facts((row, { kind, tag }) => (kind === 'min' && tag === 'loss' ? losses[row.name] : undefined)),
  );
  expect(names(sorted)).toEqual(['b/run2', 'b/run10', 'a/deep/er/run1']);
});

it('puts a run that ended in NaN after the numbers and before those without a value', () => {
  const losses: Record<string, number> = { 'b/run10': NaN, 'a/deep/er/run1': 1 };
  for (const descending of [true, false]) {
    const sorted = sortRows(
      rows,
      { kind: 'last', tag: 'loss', role: null },
      descending,
      facts((row) => losses[row.name]),
    );
    expect(names(sorted)).toEqual(['a/deep/er/run1', 'b/run10', 'b/run2']);
  }
});

const drawn = (closed: string[] = []): string[] =>
  treeLines(rows, new Set(closed)).map((line) => `${'  '.repeat(line.depth)}${line.label}`);

it('makes a tree in the order of the rows', () => {
  expect(drawn()).toEqual(['b', '  run10', '  run2', 'a/deep/er', '  run1']);
});

it('closes folders and still counts what is inside', () => {
  expect(drawn(['b'])).toEqual(['b', 'a/deep/er', '  run1']);
  const [folder] = treeLines(rows, new Set(['b']));
  expect(folder?.kind === 'folder' && folder.rows.length).toBe(2);
});

it('sorts by a setting: numbers as numbers, then words, then rows without it', () => {
  const lr: Record<string, string> = { 'b/run10': '1e-2', 'b/run2': '0.001' };
  const sorted = sortRows(rows, { setting: 'lr' }, false, { ...none, settingOf: (row) => lr[row.name] });
  expect(names(sorted)).toEqual(['b/run2', 'b/run10', 'a/deep/er/run1']);
  expect(['', 'adam', 2, NaN, 'sgd', 1].sort((a, b) => compareKnown(a, b, -1))).toEqual([2, 1, 'sgd', 'adam', NaN, '']);
});
