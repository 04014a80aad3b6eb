// Tables sort with the unknown last, find words in any column, leave out empty columns and write safe CSV.
import { expect, it } from 'vitest';
import {
  atLeast,
  filledColumns,
  findRows,
  KERNEL_COLUMNS,
  OPERATION_COLUMNS,
  rate,
  readOrder,
  size,
  sortRows,
  toCsv,
} from './table-columns';

import type { OperationRow } from '$api';

function row(name: string, extra: Partial<OperationRow> = {}): OperationRow {
  return {
    name,
    type: '',
    kind: 'op',
    device: 'host',
    worker: 'worker0',
    host: '',
    rank: null,
    count: 1,
    count_per_step: 1,
    kernels: null,
    total_us: 1,
    self_us: 1,
    average_us: 1,
    min_us: 1,
    max_us: 1,
    share: 0.5,
    cumulative: 0.5,
    exposed_us: 0,
    exposed_share: 0,
    part: '',
    eager: null,
    function: '',
    program: '',
    scope: '',
    source: '',
    shapes: [],
    output_shapes: [],
    memory_bytes: null,
    flops: null,
    bytes: null,
    flops_from: '',
    bytes_from: '',
    ...extra,
  };
}

it('sorts either way with what is unknown last', () => {
  const rows = [row('a', { flops: 1 }), row('b'), row('c', { flops: 3 })];
  const names = (order: string): string[] =>
    sortRows(rows, OPERATION_COLUMNS, readOrder(order)).map(({ name }) => name);
  expect(names('-flops')).toEqual(['c', 'a', 'b']);
  expect(names('flops')).toEqual(['a', 'c', 'b']);
  expect(names('')).toEqual(['a', 'b', 'c']);
  expect(names('nothing')).toEqual(['a', 'b', 'c']);
});

it('keeps operations that are long and large enough', () => {
  const rows = [
    row('short', { total_us: 5, memory_bytes: 1e6 }),
    row('small', { total_us: 50, bytes: 10 }),
    row('both', { total_us: 50, memory_bytes: 10, bytes: 1e6 }),
  ];
  const names = (us: number, bytes: number): string[] => atLeast(rows, us, bytes).map(({ name }) => name);
  expect(names(0, 0)).toEqual(['short', 'small', 'both']);
  expect(names(50, 0)).toEqual(['small', 'both']);
  expect(names(0, 1000)).toEqual(['short', 'both']);
  expect(names(50, 1000)).toEqual(['both']);
});

it('sorts numbers in names as numbers', () => {
  const rows = [row('layer10'), row('layer2')];
  expect(sortRows(rows, OPERATION_COLUMNS, readOrder('name')).map(({ name }) => name)).toEqual(['layer2', 'layer10']);
});

it('finds rows that have all the words', () => {
  const rows = [row('aten::Conv2d', { scope: 'block/one' }), row('aten::add', { scope: 'block/two' })];
  expect(findRows(rows, OPERATION_COLUMNS, 'conv ONE')).toHaveLength(1);
  expect(findRows(rows, OPERATION_COLUMNS, 'aten')).toHaveLength(2);
  expect(findRows(rows, OPERATION_COLUMNS, 'gemm')).toHaveLength(0);
});

it('finds rows by the cell of one column', () => {
  const rows = [row('python', { part: 'sync' }), row('cudaMemcpy', { part: 'python' }), row('aten::add')];
  const names = (text: string) => findRows(rows, OPERATION_COLUMNS, text).map(({ name }) => name);
  expect(names('part:sync')).toEqual(['python']);
  expect(names('part:python cuda')).toEqual(['cudaMemcpy']);
  expect(names('aten::add')).toEqual(['aten::add']);
});

it('leaves out columns that hold nothing', () => {
  const keys = filledColumns(OPERATION_COLUMNS, [row('a', { flops: 2 })]).map(({ key }) => key);
  expect(keys).toContain('flops');
  expect(keys).not.toContain('memory_bytes');
  expect(filledColumns(KERNEL_COLUMNS, []).map(({ key }) => key)).toEqual(['name']);
});

it('writes CSV that no spreadsheet runs', () => {
  const columns = OPERATION_COLUMNS.filter(({ key }) => ['name', 'count', 'flops'].includes(key));
  expect(toCsv([row('=1+1'), row('a,"b"', { flops: 2e9 })], columns)).toBe(
    'name,count,flops\r\n\'=1+1,1,\r\n"a,""b""",1,2000000000\r\n',
  );
});

it('writes rates in decimal units and sizes in binary ones', () => {
  const plain = (text: string): string => text.replaceAll('\u202f', ' ');
  expect(plain(rate(3.19e12, 'B/s'))).toBe('3.19 TB/s');
  expect(plain(rate(12.3e9, 'FLOP/s'))).toBe('12.3 GFLOP/s');
  expect(plain(size(3 * 2 ** 30))).toBe('3 GiB');
});
