// Columns show values, and differences when there is a baseline.
import { expect, it } from 'vitest';
import type { RunRole } from '../api/types';
import type { SortKey, TagValue } from '../state/view';
import {
  directionOf,
  fittedWidth,
  narrowColumns,
  tableAsCsv,
  tableColumns,
  tableKeys,
  withColumn,
  withoutColumn,
  type Column,
  type ColumnContext,
} from './columns';
import { aRun } from './fixture';
import { makeRows } from './rows';

const [a, b, c] = makeRows([aRun('a', { last_point: 940 }), aRun('b', { last_point: null }), aRun('c')], false);
if (a === undefined || b === undefined || c === undefined) throw new Error('three rows');
const losses = new Map([
  [a.id, 0.5],
  [b.id, 0.75],
]);
const valueOf = (row: typeof a, { kind, tag }: TagValue) =>
  kind === 'last' && tag === 'train/loss' ? losses.get(row.id) : undefined;
const plain = {
  valueOf,
  baseline: null,
  nowSeconds: 1000,
  newestOf: (row: typeof a) => row.lastPoint,
  meanOf: 5,
  rolesOf: (): readonly (RunRole | null)[] => [null],
  settingOf: (row: typeof a, name: string) => (row === a && name === 'opt.lr' ? '0.1' : undefined),
  hostsOf: () => [],
  goalOf: (tag: string) => (tag === 'acc' ? ('max' as const) : ('min' as const)),
  stepOf: (row: typeof a) => (row === a ? 1500 : undefined),
};
const AGE: SortKey = { column: 'newest' };
/** The columns of a list of the usual width, in order of age. */
const narrow = (tag: string | undefined, context: ColumnContext = plain): Column[] =>
  narrowColumns(tag, AGE, 300, context);

it('shows the last value and the age', () => {
  const [loss, age] = narrow('train/loss');
  expect(loss?.label).toBe('loss');
  expect([a, b, c].map((row) => loss?.text(row))).toEqual(['0.5', '0.75', '–']);
  expect([a, b].map((row) => age?.text(row))).toEqual(['1\u202fmin', '–']);
  expect(narrow(undefined)).toHaveLength(1);
});

it('says when the last value is not a number, with a baseline too', () => {
  const lost = { ...plain, valueOf: (row: typeof a) => (row === b ? NaN : 1) };
  expect(narrow('train/loss', lost)[0]?.text(b)).toBe('NaN');
  expect(narrow('train/loss', { ...lost, baseline: a })[0]?.text(b)).toBe('NaN');
});

it('heads a column by the last part that says what it is', () => {
  const labels = ['train/loss', 'loss/val', 'lr'].map((tag) => narrow(tag)[0]?.label);
  expect(labels).toEqual(['loss', 'loss/val', 'lr']);
});

it('shows the difference to the baseline, and the baseline itself as it is', () => {
  const [loss] = narrow('train/loss', { ...plain, baseline: a });
  expect([a, b, c].map((row) => loss?.text(row))).toEqual(['0.5', '+0.25', '–']);
});

it('has last, best and mean of each tag of the table, and says what the mean is of', () => {
  const columns = tableColumns(['train/loss'], plain);
  const keys = columns.map((column) => column.key);
  expect(columns.find((column) => column.key === 'mean:train/loss')).toMatchObject({
    label: 'mean 5',
    title: 'mean of the last 5 points of train/loss',
  });
  expect(keys.filter((key) => key.endsWith('train/loss'))).toEqual([
    'last:train/loss',
    'min:train/loss',
    'mean:train/loss',
  ]);
});

it('points the arrow the way the shown numbers run: newest first is the smallest age first', () => {
  const [loss, age] = narrow('train/loss');
  if (loss === undefined || age === undefined) throw new Error('two columns');
  expect(directionOf(age, { column: 'newest' }, true)).toBe('ascending');
  expect(directionOf(age, { column: 'newest' }, false)).toBe('descending');
  expect(directionOf(loss, { kind: 'last', tag: 'train/loss', role: null }, true)).toBe('descending');
  expect(directionOf(loss, { column: 'newest' }, true)).toBeUndefined();
});

it('takes no more room than its values need', () => {
  const [loss, age] = narrow('train/loss');
  if (loss === undefined || age === undefined) throw new Error('two columns');
  expect(fittedWidth(loss, [a, b])).toBeLessThan(loss.width);
  expect(fittedWidth({ ...loss, text: () => '−1.2345e−10' }, [a])).toBe(loss.width);
  expect(fittedWidth(age, [])).toBeGreaterThanOrEqual('Age'.length * 7 + 12);
});

const both = { ...plain, rolesOf: (): readonly (RunRole | null)[] => ['train', 'validation'] };

it('has columns of their own for train and validation, as far as names leave room', () => {
  const labels = (room: number): string[] => narrowColumns('loss', AGE, room, both).map((column) => column.label);
  expect(labels(300)).toEqual(['loss train', 'Age']);
  expect(labels(440)).toEqual(['loss train', 'loss val', 'Age']);
  const keys = tableColumns(['loss'], both).map((column) => column.key);
  expect(keys.filter((key) => key.startsWith('last:'))).toEqual(['last:loss@train', 'last:loss@val']);
});

it('cuts headings before names, and leaves out the age of a list that is too narrow for it', () => {
  const long = 'validation/mean_average_precision';
  const widths = (room: number): Record<string, number> =>
    Object.fromEntries(narrowColumns(long, AGE, room, plain).map(({ label, width }) => [label, width]));
  const taken = (room: number): number => Object.values(widths(room)).reduce((sum, width) => sum + width + 6, 0);
  expect(Object.keys(widths(300))).toEqual(['mean_average_precision', 'Age']);
  expect(Object.keys(widths(240))).toEqual(['mean_average_precision']);
  for (const room of [300, 360, 480]) expect(room - 28 - taken(room)).toBeGreaterThanOrEqual(140);
  expect(widths(720)['mean_average_precision']).toBeGreaterThan(150);
});

it('shows what the list is sorted by', () => {
  const sort: SortKey = { kind: 'min', tag: 'accuracy', role: 'validation' };
  expect(narrowColumns('loss', sort, 300, both).map((column) => column.title)).toEqual([
    'min of accuracy (validation)',
    'Time since the newest point',
  ]);
});

it('shows the best value by its goal, with its step', () => {
  const [, best] = tableColumns(['acc'], { ...plain, valueOf: () => 0.5 });
  expect(best).toMatchObject({ key: 'max:acc', descending: true });
  expect([best?.text(a), best?.text(b)]).toEqual(['0.5 @ 1500', '0.5']);
});

it('shows settings, and sorts by them', () => {
  const [lr] = tableColumns(['hp:opt.lr'], plain);
  expect(lr).toMatchObject({ label: 'lr', sort: { setting: 'opt.lr' } });
  expect([lr?.text(a), lr?.text(b)]).toEqual(['0.1', '–']);
  const logged = (value: string) => tableColumns(['hp:lr'], { ...plain, settingOf: () => value })[0];
  expect(logged('0.07943282347242814')?.text(a)).toBe('0.07943');
  expect(logged('0.07943282347242814')?.full(a)).toContain('0.07943282347242814');
  for (const whole of ['20240101123', '1e-05', 'v1.0.0-alpha']) expect(logged(whole)?.text(a)).toBe(whole);
});

it('adds and removes columns of the table', () => {
  const usual = tableKeys(['loss'], ['lr'], []);
  expect(usual).toEqual(['status', 'hp:lr', 'loss', 'labels', 'duration', 'points', 'newest', 'note']);
  const without = withoutColumn([], 'status');
  expect(tableKeys(['loss'], ['lr'], without)).toEqual(usual.slice(1));
  expect(withColumn(without, 'status')).toEqual([]);
  expect(tableKeys(['loss'], [], withColumn([], 'host'))).toContain('host');
  expect(withoutColumn(withColumn([], 'host'), 'host')).toEqual([]);
});

it('is a file with whole values, whatever the table rounds or compares', () => {
  const columns = tableColumns(['hp:opt.lr', 'train/loss', 'duration', 'points', 'newest'], { ...plain, baseline: b });
  const lines = tableAsCsv([a, { ...c, label: '=c' }], columns).split('\r\n');
  const heads = lines[0]?.split(',') ?? [];
  expect(heads.slice(0, 4)).toEqual(['Run', 'Setting opt.lr', 'last of train/loss', 'Best (lowest) train/loss']);
  expect(heads.slice(-3)).toEqual(['Duration (s)', 'Points', 'Newest point (UTC)']);
  expect(lines.slice(1)).toEqual([expect.stringMatching(/^a,0\.1,0\.5,/), expect.stringMatching(/^'=c,,,/), '']);
  expect(lines[1]).toContain('1970-01-01T00:15:40.000Z');
});
