// Experiments become one row, and splitting undoes it.
import { expect, it } from 'vitest';
import { aRun } from './fixture';
import { makeRows } from './rows';

const train = aRun('a/train', {
  experiment: 'a',
  role: 'train',
  started: 10,
  last_event: 20,
  last_point: 19,
  points: 5,
});
const validation = aRun('a/validation', {
  experiment: 'a',
  role: 'validation',
  status: 'live',
  status_reason: 'last write 2 s ago',
  started: 11,
  last_event: 30,
  last_point: 18,
  points: 7,
});
const other = aRun('b');

it('joins the folders of an experiment, train first', () => {
  const rows = makeRows([validation, other, train], false);
  expect(rows.map((row) => row.name)).toEqual(['a', 'b']);
  expect(rows[0]).toMatchObject({
    id: train.id,
    status: 'live',
    started: 10,
    lastEvent: 30,
    lastPoint: 19,
    points: 12,
  });
  expect(rows[0]?.runs.map((run) => run.role)).toEqual(['train', 'validation']);
});

it('splits them on demand', () => {
  expect(makeRows([validation, other, train], true).map((row) => row.name)).toEqual(['a/validation', 'b', 'a/train']);
});

it('tells the parts of a named experiment apart when split', () => {
  const named = [train, validation].map((run) => ({ ...run, display_name: 'best' }));
  expect(makeRows(named, true).map((row) => row.label)).toEqual(['best train', 'best validation']);
  expect(makeRows(named, false).map((row) => row.label)).toEqual(['best']);
});

it('keeps experiments of different roots apart, and names the root', () => {
  const far = aRun('a/train', { experiment: 'a', role: 'train', root: 'far' });
  const farTest = aRun('a/test', { experiment: 'a', role: 'test', root: 'far' });
  expect(makeRows([train, validation, far, farTest], false).map((row) => row.name)).toEqual(['a', 'far/a']);
});

it('shows the name that the user gave', () => {
  expect(makeRows([aRun('x', { display_name: 'baseline' })], false)[0]?.label).toBe('baseline');
});
