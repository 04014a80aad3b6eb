// Cells of the tree of costs.
import { expect, it } from 'vitest';
import type { CostRow } from '$api';
import { COST_COLUMNS } from './cost-columns';

const row: CostRow = {
  name: 'net/fc',
  depth: 2,
  us: 0,
  total_us: 1500,
  device_us: 0,
  bytes: 0,
  total_bytes: 2048,
  parameters: 31_786,
  flops: 0,
  count: 3,
  nodes: 4,
};
const cell = (key: string): string => COST_COLUMNS.find((each) => each.key === key)?.text(row) ?? '?';

it('indents names by their depth and leaves out what is nothing', () => {
  expect(cell('name')).toBe('\u00a0\u00a0\u00a0\u00a0net/fc');
  expect(['us', 'device_us', 'flops'].map(cell)).toEqual(['', '', '']);
  expect(cell('total_us')).toMatch(/1\.5.*ms/);
  expect(cell('parameters')).toMatch(/31\.8.*k/);
});
