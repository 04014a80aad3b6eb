// Which runs are drawn at first, and how a choice is kept.
import { expect, it } from 'vitest';
import { aRun } from './fixture';
import { ALL_UP_TO, NEWEST, selectionOf, toggled, visibleRuns } from './selection';

const units = (count: number) => Array.from({ length: count }, (_, i) => [aRun(`run${i}`)]);

it('draws all of few runs and the newest of many', () => {
  expect(visibleRuns({ mode: 'auto' }, units(ALL_UP_TO)).size).toBe(ALL_UP_TO);
  const many = units(ALL_UP_TO + 1);
  const visible = visibleRuns({ mode: 'auto' }, many);
  expect([...visible]).toEqual(many.slice(0, NEWEST).map(([run]) => run?.id));
});

it('counts an experiment as one', () => {
  const pairs = Array.from({ length: 16 }, (_, i) => [aRun(`${i}/train`), aRun(`${i}/validation`)]);
  expect(visibleRuns({ mode: 'auto' }, pairs).size).toBe(32);
});

it('keeps a choice through names of runs that are gone', () => {
  const [one, two] = units(2);
  const id = one?.[0]?.id ?? '';
  expect(visibleRuns({ mode: 'except', runs: [id, 'gone'] }, [one ?? [], two ?? []])).toEqual(new Set([two?.[0]?.id]));
  expect(visibleRuns({ mode: 'only', runs: [id, 'gone'] }, [one ?? [], two ?? []])).toEqual(new Set([id]));
});

it('names whichever side is shorter', () => {
  expect(selectionOf(new Set(['a', 'b']), ['a', 'b', 'c'])).toEqual({ mode: 'except', runs: ['c'] });
  expect(selectionOf(new Set(['a']), ['a', 'b', 'c'])).toEqual({ mode: 'only', runs: ['a'] });
  expect(selectionOf(new Set(['a', 'b']), ['a', 'b'])).toEqual({ mode: 'except', runs: [] });
});

it('hides a row when any of it is shown', () => {
  expect(toggled(new Set(['a', 'b']), ['b', 'c'])).toEqual(new Set(['a']));
  expect(toggled(new Set(['a']), ['b', 'c'])).toEqual(new Set(['a', 'b', 'c']));
});
