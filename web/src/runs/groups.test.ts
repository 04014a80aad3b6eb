// Seeds are found in names, offered only when it makes sense, and grouped by folder, pattern or seed.
import { describe, expect, it } from 'vitest';
import { aRun } from './fixture';
import { describeReplicates, findReplicates, makeGroups, withoutSeed } from './groups';
import { makeRows, type Row } from './rows';

const rowsOf = (names: string[]): Row[] =>
  makeRows(
    names.map((name) => aRun(name)),
    false,
  );

describe('withoutSeed', () => {
  it.each([
    ['lr0.1/seed3', 'lr0.1'],
    ['lr0.1_seed=12', 'lr0.1'],
    ['seed_4/lr0.1', 'lr0.1'],
    ['adam-s2', 'adam'],
    ['adam/run7/x', 'adam/x'],
    ['resnet_1', 'resnet'],
    ['resnet50', null],
    ['lr0.1', null],
  ])('%s → %s', (name, rest) => {
    expect(withoutSeed(name)).toBe(rest);
  });
});

describe('findReplicates', () => {
  it('counts settings and seeds', () => {
    const names = ['a', 'b', 'c', 'd'].flatMap((lr) => [1, 2, 3].map((seed) => `lr-${lr}/seed${seed}`));
    const found = findReplicates(rowsOf(names));
    expect(found).toEqual({ rows: 12, groups: 4, each: 3 });
    expect(found && describeReplicates(found)).toMatch(/^12 runs .* 4 .* 3 seeds/);
  });

  it('is sure of three that are called seeds, and not of two', () => {
    expect(findReplicates(rowsOf(['gpt-seed0', 'gpt-seed1', 'gpt-seed2']))).toEqual({ rows: 3, groups: 1, each: 3 });
    expect(findReplicates(rowsOf(['gpt-seed0', 'gpt-seed1']))).toBeNull();
  });

  it('stays silent when names only happen to end in a number', () => {
    expect(findReplicates(rowsOf(['trial_1x', 'base', 'final']))).toBeNull();
    expect(findReplicates(rowsOf(Array.from({ length: 9 }, (_, i) => `exp/${i}`)))).toBeNull();
    expect(findReplicates(rowsOf(Array.from({ length: 9 }, (_, i) => `trial_000${i}`)))).toBeNull();
    expect(findReplicates(rowsOf(['a/seed1', 'b/seed1', 'c/seed1', 'd/seed1']))).toBeNull();
  });
});

describe('makeGroups', () => {
  const settingOf = (row: Row): string | undefined => (row.name.includes('1') ? 'one' : undefined);
  const rows = rowsOf(['m/lr1/seed1', 'm/lr1/seed2', 'm/lr2/seed1', 'other']);
  const all = new Set(rows.map((row) => row.id));
  const named = (by: Parameters<typeof makeGroups>[2]) =>
    makeGroups(rows, all, by, settingOf).map((group) => `${group.name}:${group.runs.length}`);

  it('groups by folder, seed, pattern and setting', () => {
    expect(named({ by: 'path' })).toEqual(['m/lr1:2', 'm/lr2:1', '(top folder):1']);
    expect(named({ by: 'replicates' })).toEqual(['m/lr1:2', 'm/lr2:1', 'other:1']);
    expect(named({ by: 'regex', pattern: 'seed(\\d)' })).toEqual(['1:2', '2:1']);
    expect(named({ by: 'regex', pattern: '(' })).toEqual([]);
    expect(named({ by: 'setting', setting: 'x' })).toEqual(['one:3']);
  });

  it('keeps hidden runs out and roles apart', () => {
    const [first] = rows;
    expect(makeGroups(rows, new Set([first?.id ?? '']), { by: 'path' }, settingOf)).toHaveLength(1);
    const pair = makeRows(
      [
        aRun('e/s1/train', { experiment: 'e/s1', role: 'train' }),
        aRun('e/s1/validation', { experiment: 'e/s1', role: 'validation' }),
      ],
      false,
    );
    const ids = new Set(pair.flatMap((row) => row.runs.map((run) => run.id)));
    expect(makeGroups(pair, ids, { by: 'path' }, settingOf).map((group) => group.role)).toEqual([
      'train',
      'validation',
    ]);
  });
});
