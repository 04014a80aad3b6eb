// The address, paths, and what opening and closing changes.
import { expect, test } from 'vitest';
import { rowOf } from './fixture';
import { closed, DEFAULTS, readView, writeView, type GraphsView } from './graph-view';
import { grouped, inTheWay, movedAside, toggled, towards } from './opening';
import { finder, scopesAround, stemOf } from './paths';

const full: GraphsView = {
  run: '0123456789ab',
  source: 'graph/keras',
  graph: 'f_1',
  open: ['a/', 'a/b & c/', 'x=1/'],
  series: ['a/[block'],
  aside: ['w'],
  main: ['b'],
  node: 'a/b/c%20d',
  colour: 'memory',
  session: 'ab12',
  trace: 'a/',
  direction: 'outputs',
  side: 'compare',
  finding: 'unused',
  againstRun: 'upload',
  againstSource: 's',
  againstGraph: 'g',
};

test('a view is read as it was written, and what nobody understands is the default', () => {
  expect(readView(writeView(full))).toEqual(full);
  expect(writeView(DEFAULTS)).toBe('');
  expect(readView('colour=pink&side=x&direction=sideways&open=a&open=a')).toEqual({ ...DEFAULTS, open: ['a'] });
});

test('paths know their scopes, and a row is found for what it contains', () => {
  expect(scopesAround('a/b/c')).toEqual(['a/', 'a/b/']);
  expect(scopesAround('a/b/')).toEqual(['a/']);
  expect(scopesAround('x')).toEqual([]);
  expect(['dense_12', 'layer12', 'Block[12]', 'x]', '12', 'plain'].map(stemOf)).toEqual([
    ...['dense', 'layer', 'Block', 'x]', '12', 'plain'],
  ]);
  const rows = [
    rowOf({ path: 'a/', open: true }),
    rowOf({ path: 'a/x', parent: 0 }),
    rowOf({ path: 'a/[dense', kind: 'series', parent: 0 }),
    rowOf({ path: 'b/' }),
    rowOf({ path: '[rest', kind: 'rest' }),
  ];
  const find = (path: string): string | undefined => finder(rows)(path)?.path;
  expect(find('a/x')).toBe('a/x');
  expect(find('a/dense_3/MatMul')).toBe('a/[dense');
  expect(find('b/deep/er')).toBe('b/');
  expect(find('a/gone')).toBe('a/');
  expect(find('elsewhere/y')).toBe('[rest');
});

test('opening adds a path, and closing takes away all that was open inside', () => {
  const view = { ...DEFAULTS, open: ['a/', 'a/b/', 'ab/'], node: 'a/b/c' };
  expect(toggled(view, rowOf({ path: 'c/' }))).toEqual({ open: ['a/', 'a/b/', 'ab/', 'c/'] });
  expect(toggled(view, rowOf({ path: 'a/', open: true }))).toEqual({ open: ['ab/'], series: [], node: 'a/' });
  expect(closed(['a/', 'ab/'], 'a/')).toEqual(['ab/']);
  expect(toggled(view, rowOf({ path: '[s', kind: 'series' }))).toEqual({ series: ['[s'] });
  expect(toggled(view, rowOf({ path: 'call', calls: ['f'] }))).toMatchObject({ graph: 'f', open: [], node: '' });
  expect(toggled(view, rowOf({ path: 'leaf' }))).toEqual({});
});

test('the way to a node opens its scopes, then its series, then the scope of its own name', () => {
  const view = { ...DEFAULTS, open: ['z/'] };
  expect(towards(view, 'a/b/c')).toEqual({ node: 'a/b/c', open: ['z/', 'a/', 'a/b/'] });
  const series = [rowOf({ path: '[add', kind: 'series' })];
  expect(inTheWay(view, series, 'add_3')).toEqual({ series: ['[add'] });
  expect(inTheWay(view, [rowOf({ path: 'add_3' })], 'add_3')).toBeNull();
  expect(inTheWay(view, [rowOf({ path: 'conv/' })], 'conv')).toBeNull();
});

test('a series is grouped again, and rows go out of the main graph and back', () => {
  const rows = [rowOf({ path: 'b_0/', series: '[b' }), rowOf({ path: 'b_1/', series: '[b' })];
  const view = { ...DEFAULTS, series: ['[b'], open: ['b_0/', 'b_0/x/', 'c/'] };
  expect(grouped(view, rows, '[b')).toEqual({ series: [], open: ['c/'], node: '[b' });
  const out = movedAside(DEFAULTS, rowOf({ path: 'w' }));
  expect(out).toEqual({ aside: ['w'], main: [] });
  expect(movedAside({ ...DEFAULTS, ...out }, rowOf({ path: 'w', aside: true }))).toEqual({ aside: [], main: ['w'] });
});
