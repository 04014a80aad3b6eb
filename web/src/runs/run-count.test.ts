// One number of runs for every screen, and what it leaves out.
import { expect, it } from 'vitest';
import { aRun } from './fixture';
import { makeRows } from './rows';
import { countRuns, describeLeftOut } from './run-count';

const runs = [
  aRun('a/train', { experiment: 'a', role: 'train' }),
  aRun('a/validation', { experiment: 'a', role: 'validation' }),
  aRun('b'),
  aRun('c', { hidden: true }),
];

it('counts rows, without those put away', () => {
  expect(countRuns(makeRows(runs, false), 5)).toEqual({ listed: 2, archived: 1, folders: 5 });
  expect(countRuns(makeRows(runs, true), 4)).toEqual({ listed: 3, archived: 1, folders: 4 });
});

it('says what is left out, if anything is', () => {
  expect(describeLeftOut({ listed: 3, archived: 0, folders: 3 })).toBe('');
  expect(describeLeftOut({ listed: 3, archived: 2, folders: 5 })).toMatch(/2 archived$/);
  expect(describeLeftOut({ listed: 3, archived: 1, folders: 9 })).toMatch(/1 archived; 9 folders/);
});
