// Values of tags name their role, and each value of an experiment has one column.
import { expect, it } from 'vitest';
import type { TagValue } from '../state/view';
import { aRun } from './fixture';
import { makeRows } from './rows';
import { cutRole, readTagValue, rolesIn, rolesOfTag, runOfRole, writeTagValue } from './tag-values';

const rows = makeRows(
  [
    aRun('big/train', { experiment: 'big', role: 'train' }),
    aRun('big/validation', { experiment: 'big', role: 'validation' }),
    aRun('alone'),
  ],
  false,
);
const has = (run: { role: string | null }, tag: string): boolean => tag === 'loss' || run.role === 'train';

it('is written and read back with its role', () => {
  const values: TagValue[] = [
    { kind: 'min', tag: 'loss', role: 'validation' },
    { kind: 'last', tag: 'a:b@c/x', role: null },
  ];
  expect(values.map(writeTagValue)).toEqual(['min:loss@val', 'last:a:b@c/x']);
  expect(values.map((value) => readTagValue(writeTagValue(value)))).toEqual(values);
  expect(readTagValue('min:loss@validation')).toEqual(values[0]);
  expect(['best:loss', 'min:', 'loss'].map(readTagValue)).toEqual([undefined, undefined, undefined]);
  expect(cutRole('@val')).toEqual(['@val', null]);
});

it('lists roles in their order', () => {
  expect(rolesIn(rows.flatMap((row) => [...row.runs]).reverse())).toEqual(['train', 'validation']);
});

it('has a column for each role that logs the tag', () => {
  expect(rolesOfTag(rows, 'loss', has)).toEqual(['train', 'validation']);
  expect(rolesOfTag(rows, 'lr', has)).toEqual([null]);
  expect(rolesOfTag(makeRows([...rows.flatMap((row) => row.runs)], true), 'loss', has)).toEqual([null]);
});

it('takes each value from the run of its role, and that of a run without one in the first column', () => {
  const [big, alone] = rows;
  if (big === undefined || alone === undefined) throw new Error('two rows');
  expect(runOfRole(big, 'loss', 'validation', false, has)?.name).toBe('big/validation');
  expect(runOfRole(big, 'lr', 'validation', false, has)).toBeUndefined();
  expect(runOfRole(big, 'loss', null, true, has)?.name).toBe('big/train');
  expect(runOfRole(alone, 'loss', 'train', true, has)?.name).toBe('alone');
  expect(runOfRole(alone, 'loss', 'validation', false, has)).toBeUndefined();
});
