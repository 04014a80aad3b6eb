// The shape of the answer about rooflines, as docs/http-api.md describes it, how it is fetched, and the columns of its table.
import { NONE } from '$web/draw/number';
import { count, value } from '$web/widgets/format';
import { queryOf, untilRead, type Fetch, type Reading } from '../answers';
import { builder, flop, rate, share, size, time, yesNo, type Column } from '../tables/table-columns';

export interface RoofLine {
  device: string;
  count: number;
  formats: { name: string; flops_per_second: number }[];
  bytes_per_second: number | null;
  /** From the nearest memory on. */
  levels: { name: string; bytes_per_second: number }[];
}

export interface RooflineRow {
  name: string;
  /** The kernel, or the kind of compiled operation. */
  detail: string;
  device: string;
  count: number;
  total_us: number;
  share: number;
  flops: number | null;
  flops_from: string;
  bytes: number | null;
  bytes_from: string;
  flops_per_byte: number | null;
  flops_per_second: number | null;
  bytes_per_second: number | null;
  of_peak_flops: number | null;
  of_peak_bandwidth: number | null;
  of_roof: number | null;
  bound_by: '' | 'compute' | 'memory';
  occupancy: number | null;
  rematerialised: boolean;
  implausible: boolean;
}

export interface Roofline {
  roofs: RoofLine[];
  points: RooflineRow[];
  total: number;
  sentence: string;
  mfu: number | null;
  hfu: number | null;
  known_share: number | null;
  notes: string[];
}

export const fetchRoofline: Fetch<Roofline> = async (question, signal, progress) => {
  type Answer = { reading: Reading | null; report: Roofline };
  const query = queryOf(question, { worker: question.worker ?? '' });
  return (await untilRead<Answer>(`profile/roofline?${query}`, signal, progress)).report;
};

const field = builder<RooflineRow>();
export const ROOFLINE_COLUMNS: readonly Column<RooflineRow>[] = [
  field('name', 'Operation', 160, 'Name of the operation', { numeric: false, code: true }),
  field('detail', 'Kernel or kind', 140, 'The kernel, or the kind of compiled operation', {
    numeric: false,
    code: true,
  }),
  field('share', 'of time', 60, "Share of the device's time", { text: (row) => share(row.share) }),
  field('total_us', 'Total', 68, 'In sum over the whole recording', { text: (row) => time(row.total_us) }),
  field('of_roof', 'Of roof', 64, 'FLOP/s of what the lower roof allows at its FLOP/byte; ! for more than can be', {
    text: (row) => (row.of_roof === null ? NONE : `${share(row.of_roof)}${row.implausible ? ' !' : ''}`),
  }),
  field('bound_by', 'Roof', 64, 'Which roof is lower there: arithmetic (compute) or memory', { numeric: false }),
  field('flops_per_byte', 'FLOP/byte', 72, 'Arithmetic for each byte of main memory', {
    text: (row) => (row.flops_per_byte === null ? NONE : value(row.flops_per_byte)),
  }),
  field('flops_per_second', 'Arithmetic', 92, 'Achieved arithmetic', {
    text: (row) => rate(row.flops_per_second, 'FLOP/s'),
  }),
  field('of_peak_flops', 'of peak', 60, 'Share of the arithmetic peak in its number format', {
    text: (row) => share(row.of_peak_flops),
  }),
  field('bytes_per_second', 'Bandwidth', 76, 'Achieved memory traffic', {
    text: (row) => rate(row.bytes_per_second, 'B/s'),
  }),
  field('of_peak_bandwidth', 'of memory', 72, "Share of the bandwidth of the device's memory", {
    text: (row) => share(row.of_peak_bandwidth),
  }),
  field('count', 'Count', 64, 'Executions, or launches of the kernel', {
    text: (row) => count(row.count),
    spare: true,
  }),
  field('flops', 'FLOP', 84, 'In sum', { text: (row) => flop(row.flops), spare: true }),
  field('bytes', 'Accessed', 84, 'Bytes in sum', { text: (row) => size(row.bytes), spare: true }),
  field('flops_from', 'Known by', 84, 'How FLOPs are known: shapes of inputs, the compiled HLO, or the recording', {
    numeric: false,
    spare: true,
  }),
  field('occupancy', 'Occupancy', 84, 'Estimated; a fast kernel may have a low one', {
    text: (row) => share(row.occupancy),
    spare: true,
  }),
  field('rematerialised', 'Again', 60, 'Computed again to save memory', {
    numeric: false,
    raw: (row) => (row.rematerialised ? true : null),
    text: (row) => (row.rematerialised ? yesNo(true) : NONE),
    spare: true,
  }),
  field('device', 'Device', 90, 'Where it ran', { numeric: false, spare: true }),
];
