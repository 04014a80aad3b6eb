// The words of the table of operations without time or memory.
import { expect, it } from 'vitest';
import type { MissingRow } from '$api';
import { COVERAGE_COLUMNS, countText } from './coverage-columns';

const row: MissingRow = {
  name: 'conv1/Conv2D',
  op: 'Conv2D',
  has_time: false,
  reason: 'constant_folded',
  meaning: '',
  into: 'c',
  evidence: '',
  remedy: '',
  at_most_us: 12,
};
const cell = (key: string, one: MissingRow): string =>
  COVERAGE_COLUMNS.find((each) => each.key === key)?.text(one) ?? '';

it('counts the operations of a reason', () => {
  expect(countText({ reason: 'fused', meaning: '', operations: 12 })).toBe('Fused 12');
});

it('says what is missing, and the bound where there is one', () => {
  expect([cell('has_time', row), cell('has_time', { ...row, has_time: true })]).toEqual(['time', 'memory']);
  expect(cell('at_most_us', row)).toMatch(/12.*µs/);
  expect(cell('evidence', row)).not.toBe('');
});
