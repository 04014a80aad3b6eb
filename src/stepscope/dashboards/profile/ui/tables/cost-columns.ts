// Costs of a model as a tree: what may make its rows, and its columns.
import type { CostRow } from '$api';
import { count } from '$web/widgets/format';
import type { Grouping } from './groupings';
import { builder, flop, size, time, type Column } from './table-columns';

export const COST_GROUPINGS: readonly Grouping<'scope' | 'code'>[] = [
  { by: 'scope', label: 'Name scope' },
  { by: 'code', label: 'Line of code' },
];

/** Two spaces a level, which stay where spaces are folded. */
const INDENT = '\u00a0\u00a0';
/** What is nothing takes no room in a tree of many rows. */
const known = (value: number, write: (value: number) => string): string => (value === 0 ? '' : write(value));

const field = builder<CostRow>();
export const COST_COLUMNS: readonly Column<CostRow>[] = [
  field('name', 'Name', 280, 'Name scope, node or line of code, below its parent', {
    numeric: false,
    code: true,
    text: ({ name, depth }) => INDENT.repeat(depth) + name,
  }),
  field('total_us', 'Total', 76, 'Time on host and devices, including everything below', {
    text: (row) => known(row.total_us, time),
  }),
  field('us', 'Self', 76, 'Time without everything below', { text: (row) => known(row.us, time) }),
  field('device_us', 'Device', 76, 'Time on devices, including everything below', {
    text: (row) => known(row.device_us, time),
  }),
  field('total_bytes', 'Memory', 80, 'Memory allocated, including everything below', {
    text: (row) => known(row.total_bytes, size),
  }),
  field('parameters', 'Parameters', 84, 'Parameters of variables, including everything below', {
    text: (row) => known(row.parameters, flop),
  }),
  field('flops', 'FLOP', 76, 'Floating-point operations, including everything below, if known', {
    text: (row) => known(row.flops, flop),
  }),
  field('count', 'Count', 64, 'Executions, including everything below', { text: (row) => count(row.count) }),
];
