// Tables share the choice of what makes a row, as far as each has it.
import { expect, it } from 'vitest';
import { HLO_GROUPINGS, KERNEL_GROUPINGS, OPERATION_GROUPINGS, rowsBy } from './groupings';

it('is the choice where the table has it, else its first', () => {
  expect(rowsBy(OPERATION_GROUPINGS, 'module')).toBe('module');
  expect(rowsBy(KERNEL_GROUPINGS, 'module')).toBe('name');
  expect(rowsBy(HLO_GROUPINGS, 'name')).toBe('op');
  expect(rowsBy([], 'name')).toBeUndefined();
});

it.each([
  ['operations', OPERATION_GROUPINGS],
  ['kernels', KERNEL_GROUPINGS],
  ['HLO', HLO_GROUPINGS],
])('has each of %s once, with a label of its own', (_, groupings) => {
  expect(new Set(groupings.map(({ by }) => by)).size).toBe(groupings.length);
  expect(new Set(groupings.map(({ label }) => label)).size).toBe(groupings.length);
});
