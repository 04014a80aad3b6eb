// @vitest-environment happy-dom
// One tag is shown alone, and whoever goes on has the filter of before again.
import { beforeEach, expect, it } from 'vitest';
import { view } from '../state/choices.svelte';
import { leaveTag, showTag } from './show-tag';

beforeEach(() => {
  Object.assign(view, { tab: 'runs', media: '', filter: 'mine' });
  leaveTag();
  view.filter = 'mine';
});

it('goes to the dashboard with a filter that finds the tag alone', () => {
  showTag('scalars', 'loss (a+b)');
  expect(view.tab).toBe('scalars');
  expect(['loss (a+b)', 'loss (a+b)/2', 'xloss (a+b)'].map((tag) => new RegExp(view.filter).test(tag))).toEqual([
    true,
    false,
    false,
  ]);
});

it('opens the part of Media that shows the tag', () => {
  showTag('images', 'digits');
  expect([view.tab, view.media]).toEqual(['media', 'images']);
});

it('gives the filter of before back when another tab is opened, also after several tags', () => {
  showTag('scalars', 'loss');
  showTag('scalars', 'accuracy');
  leaveTag();
  expect(view.filter, 'still there').toBe('^accuracy$');
  view.tab = 'media';
  leaveTag();
  expect(view.filter).toBe('mine');
});

it('keeps a filter that was typed meanwhile', () => {
  showTag('scalars', 'loss');
  view.filter = 'typed';
  view.tab = 'media';
  leaveTag();
  expect(view.filter).toBe('typed');
});
