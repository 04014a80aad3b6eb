// At most one dialog of the trash is open, and none without a run to ask about.
import { afterEach, expect, it } from 'vitest';
import { aRun } from '../runs/fixture';
import { makeRows } from '../runs/rows';
import { trash } from './trash.svelte';

afterEach(() => trash.close());

it('asks about the rows that are to be deleted', () => {
  const rows = makeRows([aRun('a'), aRun('b')], false);
  trash.openList();
  trash.ask(rows);
  expect([trash.toDelete, trash.listOpen]).toEqual([rows, false]);
  trash.openList();
  expect([trash.toDelete, trash.listOpen]).toEqual([null, true]);
});

it('asks nothing without rows', () => {
  trash.ask([]);
  expect(trash.toDelete).toBeNull();
});
