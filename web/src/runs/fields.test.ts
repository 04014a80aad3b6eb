// Names in searches and columns mean a fact, a setting or a tag, and the clearest match wins.
import { expect, it } from 'vitest';
import { differingSettings, plainValue, readerOf, tagNeeded, type Facts } from './fields';
import { aRun } from './fixture';
import { makeRows } from './rows';

const rows = makeRows(
  [
    aRun('a', { started: 100, last_event: 160, last_point: 160, labels: ['keep', 'best'] }),
    aRun('b', { started: null }),
  ],
  false,
);
const [a, b] = rows;
if (a === undefined || b === undefined) throw new Error('two rows');
const settings: Record<string, Record<string, string>> = {
  [a.id]: { 'optimizer.lr': '0.001', model: 'vit', seed: '1' },
  [b.id]: { 'optimizer.lr': '1e-2', model: 'vit' },
};
const facts: Facts = {
  valueOf: (_, { kind, tag, role }) =>
    new Map([
      ['last loss train', 1],
      ['min loss validation', 2],
    ]).get(`${kind} ${tag} ${role}`),
  rolesOf: () => ['train', 'validation'],
  tags: ['loss', 'optimizer/lr', 'eval/f1'],
  settings: ['optimizer.lr', 'model', 'seed'],
  settingOf: (row, name) => settings[row.id]?.[name],
  hostsOf: () => ['gpu-1', 'gpu-2'],
  newestOf: (row) => row.lastPoint,
  nowSeconds: 170,
};

it.each([
  ['duration', 60],
  ['age', 10],
  ['host', 'gpu-1, gpu-2'],
  ['label', 'keep, best'],
  ['model', 'vit'],
  ['optimizer.lr', 0.001],
  ['lr', 0.001],
  ['loss', 1],
  ['min:loss@val', 2],
])('%s', (name, value) => {
  expect(readerOf(name, facts)?.(a)).toBe(value);
});

it('knows no value where a row has none, and no reader where nothing has the name', () => {
  expect(readerOf('seed', facts)?.(b)).toBeUndefined();
  expect(readerOf('duration', facts)?.(b)).toBeUndefined();
  expect(readerOf('nothing', facts)).toBeUndefined();
  expect(readerOf('constructor', facts)).toBeUndefined();
});

it('needs values only of tags', () => {
  expect(['loss@val', 'f1', 'lr', 'points'].map((name) => tagNeeded(name, facts))).toEqual([
    'loss',
    'eval/f1',
    undefined,
    undefined,
  ]);
});

it('reads numbers from settings, and finds those that differ', () => {
  expect(['1e-3', 'adam', '', undefined].map(plainValue)).toEqual([0.001, 'adam', '', undefined]);
  expect(differingSettings(rows, facts)).toEqual(['optimizer.lr', 'seed']);
});
