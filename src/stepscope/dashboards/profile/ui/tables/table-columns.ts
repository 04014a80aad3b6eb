// The columns of the tables of operations and kernels: what they are called, how a cell reads and how it sorts.
import { formatBytes, formatDuration, formatSI, NONE } from '$web/draw/number';
import { count, value } from '$web/widgets/format';
import { partLabel } from '../groups';
import { perStep, shareText } from '../times';
import type { KernelRow, OperationRow } from '$api';

export type Cell = string | number | boolean | null;

export interface Column<Row> {
  key: string;
  label: string;
  /** What the column means, for its heading's hint. */
  title: string;
  width: number;
  /** Sorts numbers downwards first, words upwards. */
  numeric: boolean;
  /** Names from code: shortened in the middle. */
  code?: boolean;
  /** Shown only when it is chosen. */
  spare?: boolean;
  raw: (row: Row) => Cell;
  text: (row: Row) => string;
}

export const time = (us: number | null): string => (us === null ? NONE : us === 0 ? '0' : formatDuration(us / 1e6));
export const share = (fraction: number | null): string => (fraction === null ? NONE : shareText(fraction));
export const yesNo = (known: boolean | null): string => (known === null ? NONE : known ? 'yes' : 'no');
export const size = (bytes: number | null): string => (bytes === null ? NONE : formatBytes(bytes));
/** Rates have decimal units, sizes binary ones: 3.2 TB/s and 12 TFLOP/s, but 4 GiB. */
export const rate = (perSecond: number | null, unit: string): string =>
  perSecond === null ? NONE : formatSI(perSecond, unit);
export const flop = (number: number | null): string => (number === null ? NONE : formatSI(number));
const dimensions = (three: readonly number[] | null): string => three?.join(' × ') ?? NONE;

type Builder<Row> = (
  key: string & keyof Row,
  label: string,
  width: number,
  title: string,
  extra?: Partial<Column<Row>>,
) => Column<Row>;

/** A column whose cells are one field of the row. */
export function builder<Row>(): Builder<Row> {
  return (key, label, width, title, extra = {}) => ({
    key,
    label,
    title,
    width,
    numeric: true,
    raw: (row) => row[key] as Cell,
    text: (row) => {
      const cell = row[key] as Cell;
      if (cell === null || cell === '') return NONE;
      return typeof cell === 'number' ? value(cell) : String(cell);
    },
    ...extra,
  });
}

const operation = builder<OperationRow>();
export const OPERATION_COLUMNS: readonly Column<OperationRow>[] = [
  operation('name', 'Operation', 220, 'Name of the operation', { numeric: false, code: true }),
  operation('type', 'Type', 100, 'Type of the operation, where the format has one', { numeric: false, code: true }),
  operation('device', 'Device', 64, 'Host, or the device it ran on', { numeric: false }),
  operation(
    'count_per_step',
    'Per step',
    64,
    'Executions in a typical step; several kernels of one execution count once',
    {
      text: (row) => perStep(row.count_per_step),
    },
  ),
  operation('exposed_us', 'Exposed', 68, 'Time of a typical step not hidden by other work', {
    text: (row) => time(row.exposed_us),
  }),
  operation('exposed_share', 'Step share', 72, 'Exposed time as a share of a typical step', {
    text: (row) => share(row.exposed_share),
  }),
  operation('part', 'Part', 88, 'Part of the step that has most of its exposed time', {
    numeric: false,
    text: (row) => (row.part === '' ? '' : partLabel(row.part)),
  }),
  operation('count', 'Count', 60, 'Executions in the whole profile; several kernels of one execution count once', {
    text: (row) => count(row.count),
  }),
  operation('self_us', 'Self', 68, 'Total duration without nested spans', { text: (row) => time(row.self_us) }),
  operation('share', 'Self share', 72, 'Share of all self time on the host, or on all devices', {
    text: (row) => share(row.share),
  }),
  operation('total_us', 'Total', 68, 'Total duration in the whole profile', { text: (row) => time(row.total_us) }),
  operation('average_us', 'Avg', 68, 'Average duration of one execution', { text: (row) => time(row.average_us) }),
  operation('cumulative', 'Cumulative', 84, 'Cumulative self share, largest first', {
    text: (row) => share(row.cumulative),
    spare: true,
  }),
  operation('min_us', 'Min', 84, 'Shortest execution', { text: (row) => time(row.min_us), spare: true }),
  operation('max_us', 'Max', 84, 'Longest execution', { text: (row) => time(row.max_us), spare: true }),
  operation('memory_bytes', 'Memory', 84, 'Allocated memory; frees are not subtracted', {
    text: (row) => size(row.memory_bytes),
    spare: true,
  }),
  operation('flops', 'FLOP', 84, 'Floating-point operations of all executions, where known', {
    text: (row) => flop(row.flops),
    spare: true,
  }),
  operation('bytes', 'Accessed', 84, 'Bytes read and written by all executions, where known', {
    text: (row) => size(row.bytes),
    spare: true,
  }),
  operation('flops_from', 'FLOP source', 92, 'Source of the FLOP count: input shapes, compiled HLO, or recorded', {
    numeric: false,
    spare: true,
  }),
  operation('eager', 'Eager', 56, 'Runs eagerly, outside a compiled function', {
    numeric: false,
    text: (row) => yesNo(row.eager),
    spare: true,
  }),
  operation('function', 'Function', 140, 'Compiled function that runs it; empty if eager', {
    numeric: false,
    code: true,
    spare: true,
  }),
  operation('program', 'Program', 140, 'Compiled function or module', { numeric: false, code: true, spare: true }),
  operation('scope', 'Scope', 160, 'Name scope or module path', { numeric: false, code: true, spare: true }),
  operation('source', 'Source line', 160, 'Line of code', { numeric: false, code: true, spare: true }),
  operation('shapes', 'Input shapes', 200, 'First input shapes', {
    numeric: false,
    code: true,
    raw: (row) => row.shapes.join('; '),
    text: (row) => (row.shapes.length === 0 ? NONE : row.shapes.join('; ')),
    spare: true,
  }),
  operation('output_shapes', 'Output shapes', 160, 'First output shapes', {
    numeric: false,
    code: true,
    raw: (row) => row.output_shapes.join('; '),
    text: (row) => (row.output_shapes.length === 0 ? NONE : row.output_shapes.join('; ')),
    spare: true,
  }),
];

const kernel = builder<KernelRow>();
export const KERNEL_COLUMNS: readonly Column<KernelRow>[] = [
  kernel('name', 'Kernel', 192, 'Name of the kernel; hover for the full name', {
    numeric: false,
    code: true,
    text: (row) => row.short || row.name,
  }),
  kernel('op', 'Operation', 130, 'Operation that launched it; empty if several did', {
    numeric: false,
    code: true,
  }),
  kernel('count', 'Count', 56, 'Launches in the whole profile', { text: (row) => count(row.count) }),
  kernel('total_us', 'Total', 68, 'Total duration in the whole profile', { text: (row) => time(row.total_us) }),
  kernel('share', 'Share', 60, 'Share of the time of all kernels', { text: (row) => share(row.share) }),
  kernel('exposed_us', 'Exposed/step', 92, 'Time of a typical step not hidden by other work', {
    text: (row) => time(row.exposed_us),
  }),
  kernel('matrix_core', 'Tensor/Matrix', 96, 'Runs on Tensor Cores or Matrix Cores, judged by its name', {
    numeric: false,
    text: (row) => yesNo(row.matrix_core),
  }),
  kernel('achieved_occupancy', 'Occupancy', 78, 'Estimated achieved occupancy; a fast kernel can have a low one', {
    text: (row) => share(row.achieved_occupancy),
  }),
  kernel('average_us', 'Avg', 64, 'Average duration of one launch', { text: (row) => time(row.average_us) }),
  kernel('launch_delay_us', 'Delay', 60, 'Median time from the end of the launch call to the start of the kernel', {
    text: (row) => time(row.launch_delay_us),
  }),
  kernel('family', 'Family', 110, 'Kind of kernel, judged by its name', { numeric: false, spare: true }),
  kernel('cumulative', 'Cumulative', 84, 'Cumulative share, largest first', {
    text: (row) => share(row.cumulative),
    spare: true,
  }),
  kernel('share_of_roof', 'Roof share', 76, 'Achieved share of the roofline limit at its FLOP/byte', {
    text: (row) => share(row.share_of_roof),
    spare: true,
  }),
  kernel('bound_by', 'Bound by', 76, 'The lower roof at its FLOP/byte: compute or memory', {
    numeric: false,
    spare: true,
  }),
  kernel('min_us', 'Min', 84, 'Shortest launch', { text: (row) => time(row.min_us), spare: true }),
  kernel('max_us', 'Max', 84, 'Longest launch', { text: (row) => time(row.max_us), spare: true }),
  kernel('flops_per_second', 'FLOP/s', 92, 'Achieved FLOP/s', {
    text: (row) => rate(row.flops_per_second, 'FLOP/s'),
    spare: true,
  }),
  kernel('flops_share_of_peak', 'FLOP util.', 72, "Share of the device's peak FLOP/s in the kernel's number format", {
    text: (row) => share(row.flops_share_of_peak),
    spare: true,
  }),
  kernel('bytes_per_second', 'Bandwidth', 76, 'Achieved memory bandwidth', {
    text: (row) => rate(row.bytes_per_second, 'B/s'),
    spare: true,
  }),
  kernel('bandwidth_share_of_peak', 'BW util.', 76, "Share of the device's peak memory bandwidth", {
    text: (row) => share(row.bandwidth_share_of_peak),
    spare: true,
  }),
  kernel('flops_per_byte', 'FLOP/byte', 80, 'Arithmetic intensity', { spare: true }),
  kernel('ridge_flops_per_byte', 'Ridge point', 84, 'FLOP/byte above which compute is the limit', { spare: true }),
  kernel('flops_from', 'FLOP source', 92, 'Source of the FLOP count: input shapes, compiled HLO, or recorded', {
    numeric: false,
    spare: true,
  }),
  kernel('theoretical_occupancy', 'Theoretical', 84, 'Theoretical occupancy, limited by registers and shared memory', {
    text: (row) => share(row.theoretical_occupancy),
    spare: true,
  }),
  kernel('matrix_core_eligible', 'Eligible', 72, 'Operation can run on tensor or matrix cores', {
    numeric: false,
    text: (row) => yesNo(row.matrix_core_eligible),
    spare: true,
  }),
  kernel('streams', 'Stream', 72, 'Streams it ran on', {
    numeric: false,
    raw: (row) => row.streams.join(', '),
    text: (row) => (row.streams.length === 0 ? NONE : row.streams.join(', ')),
    spare: true,
  }),
  kernel('grid', 'Grid', 110, 'Blocks per launch; empty if launches differ', {
    raw: (row) => (row.grid === null ? null : row.grid.reduce((all, one) => all * one, 1)),
    text: (row) => dimensions(row.grid),
    spare: true,
  }),
  kernel('block', 'Block', 96, 'Threads per block; empty if launches differ', {
    raw: (row) => (row.block === null ? null : row.block.reduce((all, one) => all * one, 1)),
    text: (row) => dimensions(row.block),
    spare: true,
  }),
  kernel('registers', 'Registers', 80, 'Registers per thread', { spare: true }),
  kernel('shared_memory_bytes', 'Shared mem.', 92, 'Shared memory per block', {
    text: (row) => size(row.shared_memory_bytes),
    spare: true,
  }),
  kernel('flops', 'FLOP', 84, 'Floating-point operations of all launches, where known', {
    text: (row) => flop(row.flops),
    spare: true,
  }),
  kernel('bytes', 'Accessed', 84, 'Bytes read and written by all launches, where known', {
    text: (row) => size(row.bytes),
    spare: true,
  }),
  kernel('device', 'Device', 76, 'Device it ran on', { numeric: false, spare: true }),
];

/** Operations of at least so many µs in total, and that allocate or access at least so many bytes. */
export function atLeast(rows: readonly OperationRow[], us: number, bytes: number): readonly OperationRow[] {
  if (us <= 0 && bytes <= 0) return rows;
  return rows.filter(
    (row) => row.total_us >= us && (bytes <= 0 || Math.max(row.memory_bytes ?? 0, row.bytes ?? 0) >= bytes),
  );
}

/** Columns that hold anything: a column of dashes only takes room. */
export function filledColumns<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Column<Row>[] {
  return columns.filter((column, place) => place === 0 || rows.some((row) => !isEmpty(column.raw(row))));
}

export function isEmpty(cell: Cell): boolean {
  return cell === null || cell === '';
}

export interface Order {
  key: string;
  descending: boolean;
}

/** `-total_us` is total_us, largest first. */
export function readOrder(text: string): Order | null {
  if (text === '') return null;
  return text.startsWith('-') ? { key: text.slice(1), descending: true } : { key: text, descending: false };
}

export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: Order | null,
): readonly Row[] {
  const column = columns.find(({ key }) => key === order?.key);
  if (order === null || column === undefined) return rows;
  const sign = order.descending ? -1 : 1;
  const cells = new Map(rows.map((row) => [row, column.raw(row)]));
  return [...rows].sort((a, b) => {
    const [x, y] = [cells.get(a) ?? null, cells.get(b) ?? null];
    // What is unknown is last, whichever way the column runs.
    if (isEmpty(x) || isEmpty(y)) return Number(isEmpty(x)) - Number(isEmpty(y));
    if (typeof x === 'string' && typeof y === 'string') return sign * x.localeCompare(y, undefined, { numeric: true });
    return sign * (Number(x) - Number(y));
  });
}

/** Rows that have all the words, in any of their columns of words. */
export function findRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], text: string): readonly Row[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  const named = columns.filter(({ numeric }) => !numeric);
  const plain = words.filter((word) => columnOf(named, word) === undefined);
  const exact = words.flatMap((word) => columnOf(named, word) ?? []);
  return rows.filter((row) => {
    const all = named.map((column) => cellWord(column, row)).join('\n');
    return (
      plain.every((word) => all.includes(word)) && exact.every(({ column, cell }) => cellWord(column, row) === cell)
    );
  });
}

const cellWord = <Row>(column: Column<Row>, row: Row): string => String(column.raw(row) ?? '').toLowerCase();

/** "part:python" asks for one cell of one column. */
function columnOf<Row>(
  columns: readonly Column<Row>[],
  word: string,
): { column: Column<Row>; cell: string } | undefined {
  const [key, cell = ''] = word.split(/:(.*)/s);
  const column = cell === '' || cell.startsWith(':') ? undefined : columns.find((one) => one.key === key);
  return column === undefined ? undefined : { column, cell };
}

/** Comma-separated values with plain numbers; a cell that a spreadsheet would run as a formula gets a quote before it. */
export function toCsv<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const lines = [
    columns.map(({ key }) => key),
    ...rows.map((row) => columns.map((column) => csvCell(column.raw(row)))),
  ];
  return lines.map((cells) => cells.join(',')).join('\r\n') + '\r\n';
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
