// @vitest-environment happy-dom
// Runs are drawn one by one or as groups, which have names, colours and dashes of their own.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TagIndex } from '../api/tags';
import { groupKey } from '../runs/groups';
import { aRun } from '../runs/fixture';
import type { Row } from '../runs/rows';
import { view } from './choices.svelte';
import { folder } from './folder.svelte';
import { grouping } from './grouping.svelte';
import { runs } from './runs.svelte';
import { defaultView } from './view';

const seeds = ['adam/seed1', 'adam/seed2', 'sgd/seed1'].map((name, i) => aRun(name, { id: `0${i}` }));

beforeEach(() => {
  Object.assign(view, defaultView());
  folder.runs = seeds;
  view.selection = { mode: 'except', runs: [] };
});
afterEach(() => {
  Object.assign(view, defaultView());
  folder.runs = [];
  folder.tags = TagIndex.EMPTY;
});
const row = (id: string): Row => {
  const found = runs.rowOfRun.get(id);
  if (found === undefined) throw new Error('no such row');
  return found;
};
const names = (): string[][] => grouping.groups.map(({ name, runs: members }) => [name, ...members]);

describe('one by one', () => {
  it('has no groups, and runs stand for themselves', () => {
    expect([grouping.on, grouping.groups, grouping.keyOf('00')]).toEqual([false, [], '00']);
    expect(grouping.lookOf(row('00')).colour).toBe(runs.colourOf(row('00').id));
  });
});

describe('by folder', () => {
  beforeEach(() => {
    view.group = { by: 'path' };
  });

  it('has a group for each folder, of the runs that are shown', () => {
    expect(names()).toEqual([
      ['adam', '00', '01'],
      ['sgd', '02'],
    ]);
    view.selection = { mode: 'only', runs: ['01', '02'] };
    expect(names()).toEqual([
      ['adam', '01'],
      ['sgd', '02'],
    ]);
  });

  it('lets a group stand for its runs, shown or not, in one colour that hiding does not change', () => {
    const group = grouping.groupOf('00');
    expect(group?.name).toBe('adam');
    expect(grouping.keyOf('00')).toBe(grouping.keyOf('01'));
    expect(grouping.keyOf('00')).toBe(group && groupKey(group));
    const before = grouping.colourOf('sgd');
    expect(grouping.lookOf(row('00')).colour).toBe(grouping.lookOf(row('01')).colour);
    expect(grouping.lookOf(row('02')).colour).toBe(before);
    expect(grouping.colourOf('adam')).not.toBe(before);
    view.selection = { mode: 'only', runs: ['02'] };
    expect(grouping.colourOf('sgd')).toBe(before);
    expect(grouping.groupOf('00')?.runs).toEqual(['00', '01']);
  });
});

it('leaves out what no pattern matches', () => {
  view.group = { by: 'regex', pattern: '(adam)' };
  expect(grouping.groupOf('02')).toBeUndefined();
  expect(grouping.keyOf('02')).toBe('02');
  expect(grouping.lookOf(row('02'))).toEqual({ colour: 'var(--text-faint)', dash: 'solid' });
});

it('names groups without the folders that all share', () => {
  folder.runs = ['exp/big/adam/1', 'exp/big/sgd/1'].map((name, i) => aRun(name, { id: `1${i}` }));
  view.group = { by: 'path' };
  expect(grouping.groups.map((group) => grouping.labelOf(group))).toEqual(['adam', 'sgd']);
  const [first] = grouping.groups;
  expect(first && grouping.labelOf({ ...first, role: 'validation' })).toBe('adam validation');
});

describe('coloured by a setting', () => {
  it('gives a group the colour of the value that its runs share, and groups without one value the same grey', () => {
    folder.runs = ['a/lr=0.1', 'a/lr=0.2', 'b/lr=0.2'].map((name, i) => aRun(name, { id: `0${i}` }));
    view.colourBy = 'name.lr';
    expect(runs.colourOf('01')).toBe(runs.colourOf('02'));
    expect(runs.colourOf('00')).not.toBe(runs.colourOf('02'));
    view.group = { by: 'path' };
    expect(grouping.colourOf('b')).toBe(runs.colourOf('02'));
    expect(grouping.colourOf('a')).toBe(runs.valueColours?.colourOf(undefined));
  });
});
