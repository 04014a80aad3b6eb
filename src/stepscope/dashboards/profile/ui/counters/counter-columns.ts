// The columns of the table of counters.
import { NONE } from '$web/draw/number';
import { count, value } from '$web/widgets/format';
import type { CounterRow } from '$api';
import { builder, type Column } from '../tables/table-columns';

const field = builder<CounterRow>();
const number = (known: number | null): string => (known === null ? NONE : value(known));
export const COUNTER_COLUMNS: readonly Column<CounterRow>[] = [
  field('name', 'Counter', 170, 'Name of the counter', { numeric: false, code: true }),
  field('process', 'Process', 84, 'Device or process it belongs to', { numeric: false }),
  field('samples', 'Samples', 56, 'Number of samples', { text: (row) => count(row.samples) }),
  field('least', 'Min', 54, 'Smallest sample', { text: (row) => number(row.least) }),
  field('mean', 'Mean', 54, 'Mean over time; a sample is valid until the next one', {
    text: (row) => number(row.mean),
  }),
  field('most', 'Max', 54, 'Largest sample', { text: (row) => number(row.most) }),
  field('last', 'Last', 54, 'Last sample', { text: (row) => number(row.last) }),
  field('step_mean', 'Per step', 58, 'Median of the means of all steps', { text: (row) => number(row.step_mean) }),
];
