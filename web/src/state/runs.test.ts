// @vitest-environment happy-dom
// Rows of runs: which are drawn, what they are called, their colours, how old they are, and what a search finds.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TagIndex } from '../api/tags';
import { aRun } from '../runs/fixture';
import type { Row } from '../runs/rows';
import { view } from './choices.svelte';
import { folder } from './folder.svelte';
import { runs } from './runs.svelte';
import { defaultView } from './view';

const old = aRun('exp/a', { id: 'a1', started: 10, last_event: 25, last_point: 20 });
const young = aRun('exp/b', { id: 'b2', started: 30, last_event: 40, last_point: 40, status: 'live' });
const away = aRun('exp/c', { id: 'c3', started: 50, last_event: 60, last_point: 60, hidden: true });
/** The first two runs have the tag. */
const tags = new TagIndex({
  runs: ['a1', 'b2', 'c3'],
  tags: [{ name: 'loss', kind: 'scalar', runs: btoa(String.fromCharCode(0b011)) }],
} as never);

beforeEach(() => {
  Object.assign(view, defaultView());
  Object.assign(folder, { runs: [old, young, away], tags, grown: new Map() });
});
afterEach(() => {
  Object.assign(view, defaultView());
  Object.assign(folder, { runs: [], tags: TagIndex.EMPTY, grown: new Map() });
});
const row = (id: string): Row => {
  const found = runs.rowOfRun.get(id);
  if (found === undefined) throw new Error('no such row');
  return found;
};
const ids = (rows: readonly Row[]): string[] => rows.map(({ runs: [first] }) => first?.id ?? '');
const shown = (): string[] => [...runs.visible].sort();

describe('rows', () => {
  it('are of all runs, and those that were put away are not listed', () => {
    expect(ids(runs.rows)).toHaveLength(3);
    expect(ids(runs.kept).sort()).toEqual(['a1', 'b2']);
    expect(ids(runs.found(true))).toEqual(['c3']);
    expect(runs.liveCount).toBe(1);
  });

  it('are found by a search, in the order that was chosen', () => {
    view.sort = { column: 'name' };
    view.descending = false;
    expect(ids(runs.found(false))).toEqual(['a1', 'b2']);
    view.baseline = row('b2').id;
    expect(ids(runs.found(false))).toEqual(['b2', 'a1']);
    view.search = 'exp/a';
    expect(ids(runs.found(false))).toEqual(['a1']);
  });

  it('are called without the folders that all share', () => {
    expect([runs.shortLabel(row('a1')), runs.shortLabel(row('b2'))]).toEqual(['a', 'b']);
  });

  it('are as new as their newest point, also the one that came since', () => {
    expect(runs.newestOf(row('a1'))).toBe(20);
    folder.grown = new Map([['a1', 99]]);
    expect(runs.newestOf(row('a1'))).toBe(99);
  });

  it('have the tags that any of their runs has', () => {
    expect([runs.tagsOf(row('a1')), runs.tagsOf(row('c3')), runs.tagsOf(undefined)]).toEqual([['loss'], [], []]);
    expect(runs.scalarTags).toEqual(['loss']);
  });
});

describe('what is drawn', () => {
  it('is everything of few runs until something is chosen', () => {
    expect(shown()).toEqual(['a1', 'b2']);
    expect(runs.auto).not.toBeNull();
    runs.toggle([row('a1')]);
    expect([shown(), runs.auto, runs.isShown(row('a1'))]).toEqual([['b2'], null, false]);
    runs.toggle([row('a1')]);
    expect(shown()).toEqual(['a1', 'b2']);
  });

  it('may be one run alone, and all again', () => {
    runs.only([row('b2')]);
    expect(shown()).toEqual(['b2']);
    runs.only([row('b2')]);
    expect(shown()).toEqual(['a1', 'b2']);
    runs.showNone();
    expect(shown()).toEqual([]);
    runs.showAll();
    expect(shown()).toEqual(['a1', 'b2']);
  });

  it('is the same set while its members are', () => {
    const before = runs.visible;
    folder.runs = [old, young, away].map((run) => ({ ...run }));
    expect(runs.visible).toBe(before);
  });

  it('is in the order of the list', () => {
    view.sort = { column: 'name' };
    view.descending = true;
    expect(runs.shownInOrder).toEqual(['b2', 'a1']);
    view.descending = false;
    expect(runs.shownInOrder).toEqual(['a1', 'b2']);
  });
});

describe('colours', () => {
  it('are of each row its own, and other shades for further lines', () => {
    expect(runs.colourOf('a1')).not.toBe(runs.colourOf('b2'));
    expect(runs.colourOf('a1', 1)).not.toBe(runs.colourOf('a1'));
    expect(runs.colourOf('a1')).toMatch(/^#[0-9a-f]{6}$/i);
  });

  it('are what the user chose', () => {
    folder.runs = [{ ...old, colour: '#123456' }, young];
    expect(runs.colourOf('a1').toLowerCase()).toContain('123456');
  });

  it('say the role of an experiment by a dash', () => {
    expect(runs.dashOf(old)).toBe('solid');
    expect(runs.dashOf({ ...old, experiment: 'exp', role: 'validation' })).not.toBe('solid');
  });
});
