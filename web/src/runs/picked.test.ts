// Clicks pick rows one by one or from one to another.
import { expect, it } from 'vitest';
import { labelsOf, ranged, toggledPick } from './picked';

it('picks and unpicks one', () => {
  expect([...toggledPick(new Set(['a']), 'b')]).toEqual(['a', 'b']);
  expect([...toggledPick(new Set(['a', 'b']), 'a')]).toEqual(['b']);
});

it('picks all between two, in either direction', () => {
  const listed = ['a', 'b', 'c', 'd'];
  expect([...ranged(new Set(['b']), listed, 'b', 'd')]).toEqual(['b', 'c', 'd']);
  expect([...ranged(new Set(['d']), listed, 'd', 'b')].sort()).toEqual(['b', 'c', 'd']);
  expect([...ranged(new Set(), listed, null, 'c')]).toEqual(['c']);
  expect([...ranged(new Set(['gone']), listed, 'gone', 'c')]).toEqual(['gone', 'c']);
});

it('tells labels of all from labels of some', () => {
  expect(labelsOf([{ labels: ['b', 'a'] }, { labels: ['a'] }])).toEqual({ all: ['a'], some: ['b'] });
});
