// Which runs are drawn at first, and how a choice is kept.
import { expect, it } from 'vitest';
import { aRun } from './fixture';
import { ALL_UP_TO, autoChoice, NEWEST, selectionOf, toggled, visibleRuns } from './selection';

const units = (count: number) => Array.from({ length: count }, (_, i) => [aRun(`run${i}`)]);

it('draws all of few runs and the newest of many', () => {
  expect(visibleRuns({ mode: 'auto' }, units(ALL_UP_TO)).size).toBe(ALL_UP_TO);
  const many = units(ALL_UP_TO + 1);
  const visible = visibleRuns({ mode: 'auto' }, many);
  expect([...visible]).toEqual(many.slice(0, NEWEST).map(([run]) => run?.id));
});

it('chooses among the runs that the tab can draw', () => {
  const profiles = units(37);
  const trained = [[aRun('old-training')]];
  const canDraw = (unit: readonly { id: string }[]) => unit[0]?.id === trained[0]?.[0]?.id;
  const choice = autoChoice([...profiles, ...trained], canDraw);
  expect([choice.shown, choice.older, choice.without]).toEqual([trained, 0, 37]);
  expect(autoChoice(profiles, () => false).shown.length).toBe(NEWEST);
});

it('keeps a live run among the shown, however old it is', () => {
  const live = [{ ...aRun('live'), status: 'live' as const }];
  const choice = autoChoice([...units(60), live], () => true);
  expect(choice.shown[0]).toBe(live);
  expect([choice.shown.length, choice.older, choice.without]).toEqual([NEWEST, 61 - NEWEST, 0]);
});

it('keeps an old training among many later evaluations', () => {
  const training = [aRun('training')];
  const isTraining = (unit: readonly { id: string }[]): boolean => unit === training;
  const choice = autoChoice([...units(60), training], () => true, [isTraining, () => false, () => true]);
  expect(choice.shown).toHaveLength(NEWEST);
  expect(choice.shown.at(-1)).toBe(training);
  expect(choice.older).toBe(61 - NEWEST);
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
