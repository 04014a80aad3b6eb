// @vitest-environment happy-dom
// Charts are whole, or divided by the values of a setting, of the shown runs alone.
import { afterEach, expect, it } from 'vitest';
import { aRun } from '../runs/fixture';
import { view } from './choices.svelte';
import { faceting } from './faceting.svelte';
import { folder } from './folder.svelte';
import { defaultView } from './view';

afterEach(() => {
  Object.assign(view, defaultView());
  folder.runs = [];
});

it('divides the shown runs by what their names say', () => {
  folder.runs = ['lr=0.1,bs=8', 'lr=0.2,bs=8', 'lr=0.2,bs=16'].map((name, i) => aRun(name, { id: `0${i}` }));
  view.selection = { mode: 'except', runs: [] };
  expect(faceting.facets).toBeNull();
  view.facetBy = 'name.lr';
  expect(faceting.facets?.map(({ key, runs }) => [key, [...runs]])).toEqual([
    ['=0.1', ['00']],
    ['=0.2', ['01', '02']],
  ]);
  view.selection = { mode: 'only', runs: ['02'] };
  expect(faceting.facets?.map(({ key }) => key)).toEqual(['=0.2']);
});
