// Shared starts end at a word, and shortened names keep their end.
import { expect, it } from 'vitest';
import {
  compareNames,
  cutAtShared,
  cutForMiddle,
  foldersToldByStart,
  isToldByStart,
  sharedPrefix,
  sharedWords,
  visibleName,
  withoutSharedFolders,
  withoutSharedWords,
  sharedWithAbove,
} from './names';

it.each([
  [['mnist/lr0.1', 'mnist/lr0.01'], 'mnist/'.length],
  [['resnet50-a', 'resnet50-b', 'resnet101-a'], 0],
  [['exp_a_1', 'exp_a_2'], 'exp_a_'.length],
  [['alone'], 0],
  [[], 0],
])('%o share %d characters', (names, length) => {
  expect(sharedPrefix(names)).toBe(length);
});

it('cuts a long name so that the end stays whole', () => {
  expect(cutForMiddle('short')).toEqual(['', 'short']);
  const [head, tail] = cutForMiddle('a-rather-long-name-seed-3');
  expect(head + tail).toBe('a-rather-long-name-seed-3');
  expect(tail).toBe('name-seed-3');
  expect(cutForMiddle('lr0.1/width64/seed1')).toEqual(['lr0.1/', 'width64/seed1']);
  expect(cutForMiddle('lr0.1/width64/seed49', 8)).toEqual(['lr0.1/width64/', 'seed49']);
  expect(cutForMiddle('abcdefghijklmnopqrstuvwxyz')[1]).toHaveLength(12);
});

it('drops folders that all share, but no part of a word', () => {
  expect(withoutSharedFolders('mnist/exp_a', 10)).toBe('exp_a');
  expect(withoutSharedFolders('exp_a', 4)).toBe('exp_a');
  expect(withoutSharedFolders('alone', 0)).toBe('alone');
});

it('sorts numbers inside names as numbers', () => {
  expect(['layer10', 'layer2', 'Layer1'].sort(compareNames)).toEqual(['Layer1', 'layer2', 'layer10']);
});

it('names with numbers are in the order of the numbers', () => {
  const names = ['lr0.1/seed0', 'lr0.001/seed1', 'lr1e-2/seed0', 'lr0.001/seed0', 'layer10', 'layer2'];
  expect([...names].sort(compareNames)).toEqual([
    'layer2',
    'layer10',
    'lr0.001/seed0',
    'lr0.001/seed1',
    'lr1e-2/seed0',
    'lr0.1/seed0',
  ]);
  expect(compareNames('a1e999', 'a1e998')).not.toBe(0);
  expect(compareNames('a', 'a')).toBe(0);
});

it('characters that hide or reorder others are marked', () => {
  expect(visibleName('zero\u200bwidth \u202egnp.exe\nend')).toBe('zero\ufffdwidth \ufffdgnp.exe end');
});

it.each([
  [
    ['net_lr0.1_wide_seed2 train', 'net_lr0.01_wide_seed3 train'],
    ['lr0.1_…seed2', 'lr0.01_…seed3'],
  ],
  [
    ['net-a val', 'net-b-deep val'],
    ['a', 'b-deep'],
  ],
  [
    ['a/net', 'b/net'],
    ['a', 'b'],
  ],
  [
    ['same', 'same'],
    ['same', 'same'],
  ],
  [['net_alone'], ['net_alone']],
  [
    ['net', 'net_big'],
    ['net', 'net_big'],
  ],
])('of %j only what differs is left', (names, expected) => {
  expect(withoutSharedWords(names)).toEqual(expected);
});

it('finds the words that may shrink first', () => {
  const names = ['net_lr0.1_wide_seed2', 'net_lr0.01_wide_seed3'];
  const shared = sharedWords(names);
  expect([...shared]).toEqual([0, 2]);
  expect(cutAtShared(names[0] ?? '', 'net_'.length, shared)).toEqual([
    { text: 'lr0.1_', shared: false },
    { text: 'wide_', shared: true },
    { text: 'seed2', shared: false },
  ]);
  const keyed = ['lr=0.1_seed=2', 'lr=0.01_seed=3'];
  expect(cutAtShared(keyed[0] ?? '', 0, sharedWords(keyed)).filter((part) => part.shared)).toEqual([
    { text: 'seed=', shared: true },
  ]);
  expect(sharedWords(['a_b', 'a_b_c']).size).toBe(0);
});

it('finds what a name shares with the one above it', () => {
  const names = ['s/vit/lr=1/seed=1', 's/vit/lr=1/seed=2', 's/net/lr=1/seed=1', 's/net/lr=1/seed=1'];
  const greyed = sharedWithAbove(names, 2);
  expect(names.map((name, i) => name.slice(greyed[i]))).toEqual([
    'vit/lr=1/seed=1',
    'seed=2',
    'net/lr=1/seed=1',
    'seed=1',
  ]);
});

it('finds the folders whose names are told apart by their start', () => {
  const sweep = ['sweep/lr7.9e-02-resnet50', 'sweep/lr5.0e-02-resnet50', 'sweep/lr4.0e-02-resnet50'];
  const seeds = ['gpt/a-rather-long-name-seed1', 'gpt/a-rather-long-name-seed2', 'gpt/a-rather-long-name-seed3'];
  const folders = foldersToldByStart([...sweep, ...seeds, 'short'], 8);
  expect(folders).toEqual(new Set(['sweep/']));
  expect(isToldByStart('sweep/lr1.0e-02-vit', folders)).toBe(true);
  expect(isToldByStart('short', folders)).toBe(false);
});
