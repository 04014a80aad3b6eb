// Tables show their telling columns, and what was ticked changes one table alone.
import { expect, it } from 'vitest';
import { chosenColumns, switchColumn, usualColumns } from './column-choice';
import { KERNEL_COLUMNS } from './table-columns';

const keys = (switched: string[], table = 'kernels'): string[] =>
  chosenColumns(KERNEL_COLUMNS, table, switched).map(({ key }) => key);

it('shows what tells most of a kernel first', () => {
  expect(keys([])).toEqual([
    'name',
    'op',
    'count',
    'total_us',
    'share',
    'exposed_us',
    'matrix_core',
    'achieved_occupancy',
    'average_us',
    'launch_delay_us',
  ]);
});

it('adds and takes away what is switched, in this table alone', () => {
  expect(keys(['kernels.grid', 'kernels.op'])).toContain('grid');
  expect(keys(['kernels.grid', 'kernels.op'])).not.toContain('op');
  expect(keys(['operations.op'])).toEqual(keys([]));
});

it('never takes away the names', () => {
  expect(keys(['kernels.name'])[0]).toBe('name');
});

it('switches back, and one table to its usual columns', () => {
  expect(switchColumn(['kernels.grid'], 'kernels', 'op')).toEqual(['kernels.grid', 'kernels.op']);
  expect(switchColumn(['kernels.grid'], 'kernels', 'grid')).toEqual([]);
  expect(usualColumns(['kernels.grid', 'hlo.text'], 'kernels')).toEqual(['hlo.text']);
});
