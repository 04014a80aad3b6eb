// Settings of runs become one tree, whether they were logged with dots or as containers.
import { expect, it } from 'vitest';
import { leavesOfText } from './nested';
import { leavesOfSettings, treeOf } from './setting-tree';

const short = (rows: ReturnType<typeof treeOf>): unknown[] =>
  rows.map(({ label, depth, values, differs }) => [depth, label, values, differs]);

it('has dotted names and containers at the same places', () => {
  const dotted = leavesOfSettings([
    ['optimizer.lr', '0.001'],
    ['optimizer.betas', '[0.9, 0.99]'],
    ['model.depth', '4'],
    ['epochs', '10'],
  ]);
  const nested = leavesOfSettings([
    ['optimizer', "{'lr': 1e-3, 'betas': (0.9, 0.999)}"],
    ['model', '{"depth": 4}'],
    ['epochs', '20'],
  ]);
  expect(short(treeOf([dotted, nested]))).toEqual([
    [0, 'epochs', ['10', '20'], true],
    [0, 'model.depth', ['4', '4'], false],
    [0, 'optimizer', null, true],
    [1, 'betas', null, true],
    [2, '[0]', ['0.9', '0.9'], false],
    [2, '[1]', ['0.99', '0.999'], true],
    [1, 'lr', ['0.001', '1e-3'], false],
  ]);
});

it('says where a run lacks a value, or has one where another has a container', () => {
  const rows = treeOf([
    leavesOfSettings([['data', 'cifar']]),
    leavesOfText('data:\n  name: cifar\n  size: 32\nx: 1') ?? [],
  ]);
  expect(short(rows)).toEqual([
    [0, 'data', ['cifar', undefined], true],
    [1, 'name', [undefined, 'cifar'], true],
    [1, 'size', [undefined, '32'], true],
    [0, 'x', [undefined, '1'], true],
  ]);
});

it('takes any name', () => {
  const rows = treeOf([
    leavesOfSettings([
      ['__proto__.constructor', '1'],
      ['', '2'],
    ]),
  ]);
  expect(short(rows)).toEqual([
    [0, '', ['2'], false],
    [0, '__proto__.constructor', ['1'], false],
  ]);
});
