// Colours by structure, device, time and presence; marks of findings and comparisons.
import { expect, test } from 'vitest';
import type { GraphFinding } from './answers';
import { colouring, deviceText, huesOf } from './colours';
import { rowOf, viewOf } from './fixture';
import { changesOf, comparisonColours, findingMarks } from './marks';

const fills = (view: ReturnType<typeof viewOf>, by: Parameters<typeof colouring>[1]): string[] =>
  colouring(view, by, 'light').paints.map(({ fill }) => fill);

test('the same structure and the same operation have the same colour, what is alone has none', () => {
  const [a, b, c, add, other] = fills(
    viewOf([
      rowOf({ path: 'a/', structure: 's' }),
      rowOf({ path: 'b/', structure: 's' }),
      rowOf({ path: 'c/', structure: 't' }),
      rowOf({ path: 'd', op: 'Add' }),
      rowOf({ path: 'e', op: 'Mul' }),
    ]),
    'structure',
  );
  expect(a).toBe(b);
  expect(new Set([a, c, add, other]).size).toBe(4);
  const ops = Array.from({ length: 20 }, (_, i) => `Op${i}`);
  expect(new Set(huesOf(ops).values()).size).toBe(20);
});

test('devices are named in the legend, and time goes from faint to full', () => {
  const rows = [
    rowOf({ path: 'a', devices: [{ name: '/job:localhost/replica:0/task:0/device:GPU:0', nodes: 1 }], us: 10 }),
    rowOf({ path: 'b', us: 0 }),
    rowOf({ path: 'c', us: 10 }),
    rowOf({ path: 'd' }),
  ];
  const view = { ...viewOf(rows), most_us: 10 };
  expect(colouring(view, 'device', 'light').legend.entries.map(({ text }) => text)).toEqual(['GPU:0']);
  expect(deviceText('/job:w/task:1/device:GPU:0')).toBe('/job:w/task:1/device:GPU:0');
  const [a, b, c, d] = fills(view, 'time');
  expect(a).toBe(c);
  expect(new Set([a, b, d]).size).toBe(3);
  const present = viewOf([
    rowOf({ path: 'all/', nodes: 2, with_time: 2 }),
    rowOf({ path: 'some/', nodes: 2, with_time: 1 }),
    rowOf({ path: 'none/', nodes: 2, with_time: 0 }),
    rowOf({ path: 'unknown/', nodes: 2 }),
  ]);
  const [all, some, none, unknown] = fills(present, 'statistics');
  expect(new Set([all, some, none]).size).toBe(3);
  expect(none).toBe(unknown);
});

test('findings mark the rows that contain their nodes', () => {
  const rows = [rowOf({ path: 'a/' }), rowOf({ path: 'b' }), rowOf({ path: 'c' })];
  const finding = (rule: string, nodes: string[], verdict: GraphFinding['verdict'] = 'fires'): GraphFinding => ({
    ...{ rule, title: '', text: '', verdict, count: nodes.length, nodes },
  });
  const all = [finding('one', ['a/x/y']), finding('two', ['b']), finding('three', ['c'], 'quiet')];
  expect([...findingMarks(rows, all, '', 'light').keys()]).toEqual([0, 1]);
  expect([...findingMarks(rows, all, 'two', 'light').keys()]).toEqual([1]);
});

test('a row in which all is new was added, one with old nodes too has changed', () => {
  const rows = [
    rowOf({ path: 'new/', nodes: 2 }),
    rowOf({ path: 'old/', nodes: 5 }),
    rowOf({ path: 'x' }),
    rowOf({ path: 'y' }),
  ];
  const one = (node: string, change: 'added' | 'removed' | 'changed') => ({
    node,
    change,
    what: [],
    before: '',
    after: '',
  });
  const differences = [
    one('new/a', 'added'),
    one('new/b', 'added'),
    one('old/a', 'added'),
    one('x', 'changed'),
    one('old/z', 'removed'),
  ];
  const changes = changesOf(rows, { differences });
  expect([...changes]).toEqual([
    [0, 'added'],
    [1, 'changed'],
    [2, 'changed'],
  ]);
  const { paints } = comparisonColours(rows, changes, 'dark');
  expect(paints[1].fill).toBe(paints[2].fill);
  expect(new Set([paints[0].fill, paints[1].fill, paints[3].fill]).size).toBe(3);
});
