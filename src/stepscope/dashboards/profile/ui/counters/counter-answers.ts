// The shape of the answer about counters, as docs/http-api.md describes it, how it is fetched, and the columns of its table.
import { NONE } from '$web/draw/number';
import { count, value } from '$web/widgets/format';
import { queryOf, untilRead, type Fetch, type Reading } from '../answers';
import { builder, type Column } from '../tables/table-columns';

export interface CounterRow {
  name: string;
  process: string;
  samples: number;
  least: number;
  /** Over time. */
  mean: number;
  most: number;
  last: number;
  step_mean: number | null;
  step_means: (number | null)[];
  /** Where columns of the course begin, with the least, the most and the last value in each. */
  ms: number[];
  low: number[];
  high: number[];
  ends: number[];
}

export interface CounterStep {
  step: number;
  start_ms: number;
  end_ms: number;
}

export interface Counters {
  rows: CounterRow[];
  total: number;
  steps: CounterStep[];
  start_ms: number;
  end_ms: number;
}

export const fetchCounters: Fetch<Counters> = (question, signal, progress) =>
  untilRead<Counters & { reading: Reading | null }>(
    `profile/counters?${queryOf(question, { worker: question.worker ?? '' })}`,
    signal,
    progress,
  );

const field = builder<CounterRow>();
const number = (known: number | null): string => (known === null ? NONE : value(known));
export const COUNTER_COLUMNS: readonly Column<CounterRow>[] = [
  field('name', 'Counter', 170, 'Name of the counter', { numeric: false, code: true }),
  field('process', 'Of', 84, 'The device or process that it belongs to', { numeric: false }),
  field('samples', 'Samples', 56, 'How often it was read', { text: (row) => count(row.samples) }),
  field('least', 'Least', 54, 'The smallest sample', { text: (row) => number(row.least) }),
  field('mean', 'Mean', 54, 'Over time: a sample holds until the next one', { text: (row) => number(row.mean) }),
  field('most', 'Most', 54, 'The largest sample', { text: (row) => number(row.most) }),
  field('last', 'Last', 54, 'The last sample', { text: (row) => number(row.last) }),
  field('step_mean', 'In a step', 58, 'Median of its means over steps', { text: (row) => number(row.step_mean) }),
];
