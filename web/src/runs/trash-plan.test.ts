// The question before a deletion counts what moves, and nothing that stays.
import { expect, it } from 'vitest';
import type { PlannedFolder } from '../api/trash';
import { someNames, summarize } from './trash-plan';

function planned(path: string, more: Partial<PlannedFolder> = {}): PlannedFolder {
  const runs = [{ id: path, name: path, chosen: true, live: false }];
  return { path, files: 2, bytes: 1000, counted_all: true, runs, trash: '/trash', problem: null, ...more };
}

it('adds up what can be moved', () => {
  const inside = { id: 'i', name: 'a/i', chosen: false, live: true };
  const summary = summarize([
    planned('a', { runs: [{ id: 'a', name: 'a', chosen: true, live: false }, inside] }),
    planned('b', { counted_all: false }),
    planned('c', { problem: 'A link.', runs: [{ id: 'c', name: 'c', chosen: true, live: true }] }),
  ]);
  expect(summary.movable.map((folder) => folder.path)).toEqual(['a', 'b']);
  expect(summary.stuck.map((folder) => folder.path)).toEqual(['c']);
  expect(summary.others).toEqual([inside]);
  expect(summary.live).toEqual([inside]);
  expect(summary.amount).toContain('2 folders, at least 4 files');
});

it('names the first five', () => {
  expect(someNames(['a', 'b'])).toBe('a, b');
  expect(someNames(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe('a, b, c, d, e and 2 more');
});
