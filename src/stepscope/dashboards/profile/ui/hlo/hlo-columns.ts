// The columns of the table of compiled operations.
import { NONE } from '$web/draw/number';
import { count } from '$web/widgets/format';
import type { HloRow } from '$api';
import { builder, flop, rate, share, size, time, yesNo, type Column } from '../tables/table-columns';

const DOUBTS: Record<string, string> = {
  estimated: 'estimated from the shapes of a library call',
  loop: 'loop of unknown length counted once',
  unknown: 'unknown library call not counted',
};

/** What is not certain about a row's arithmetic. */
export function doubtText(doubts: readonly string[]): string {
  return doubts.map((doubt) => DOUBTS[doubt] ?? doubt).join('; ');
}

/** What bounds it; a mark where a peak is exceeded. */
export function boundText({ bound_by, implausible_peak }: { bound_by: string; implausible_peak?: boolean }): string {
  return `${bound_by === '' ? NONE : bound_by}${implausible_peak === true ? ' !' : ''}`;
}

const hlo = builder<HloRow>();
export const HLO_COLUMNS: readonly Column<HloRow>[] = [
  hlo('name', 'Operation', 180, 'Name of the instruction', { numeric: false, code: true }),
  hlo('category', 'Category', 100, 'Kind of operation', { numeric: false }),
  hlo('count', 'Count', 56, 'Executions; several kernels of one execution count once', {
    text: (row) => count(row.count),
  }),
  hlo('self_us', 'Self', 64, 'Total duration without nested operations', { text: (row) => time(row.self_us) }),
  hlo('share', 'Share', 60, 'Share of the self time of all compiled operations', { text: (row) => share(row.share) }),
  hlo('flops_per_second', 'FLOP/s', 88, 'Achieved FLOP/s on one device', {
    text: (row) => rate(row.flops_per_second, 'FLOP/s'),
  }),
  hlo('bytes_per_second', 'Bandwidth', 76, 'Bytes read and written per second on one device', {
    text: (row) => rate(row.bytes_per_second, 'B/s'),
  }),
  hlo('flops_share_of_peak', 'FLOP util.', 84, "Share of the device's peak FLOP/s in its number format", {
    text: (row) => share(row.flops_share_of_peak),
  }),
  hlo('bandwidth_share_of_peak', 'BW util.', 84, "Share of the device's peak memory bandwidth", {
    text: (row) => share(row.bandwidth_share_of_peak),
  }),
  hlo('bound_by', 'Bound by', 72, 'The limit at peak rates: compute or memory; ! marks a rate above the peak', {
    numeric: false,
    text: boundText,
  }),
  hlo('wasted_us', 'Wasted', 64, 'Self time above the minimum at peak FLOP/s and bandwidth', {
    text: (row) => time(row.wasted_us),
  }),
  hlo('cumulative', 'Cumulative', 84, 'Cumulative share, largest first', {
    text: (row) => share(row.cumulative),
    spare: true,
  }),
  hlo('average_us', 'Avg', 76, 'Average duration of one execution', {
    text: (row) => time(row.average_us),
    spare: true,
  }),
  hlo('flops', 'FLOP', 76, 'Floating-point operations of all executions', {
    text: (row) => flop(row.flops),
    spare: true,
  }),
  hlo('bytes', 'Accessed', 84, 'Bytes read and written by all executions', {
    text: (row) => size(row.bytes),
    spare: true,
  }),
  hlo('flops_per_byte', 'FLOP/byte', 80, 'Arithmetic intensity', {
    text: (row) => flop(row.flops_per_byte),
    spare: true,
  }),
  hlo('doubts', 'Caveats', 160, 'Uncertainty of the FLOPs and bytes', {
    numeric: false,
    raw: (row) => doubtText(row.doubts),
    text: (row) => doubtText(row.doubts) || NONE,
    spare: true,
  }),
  hlo('rematerialised', 'Remat', 60, 'Recomputed to save memory', {
    numeric: false,
    raw: (row) => (row.rematerialised ? true : null),
    text: (row) => (row.rematerialised ? yesNo(true) : NONE),
    spare: true,
  }),
  hlo('fused_instructions', 'Fused', 60, 'Instructions inside it', {
    raw: (row) => (row.fused_instructions === 0 ? null : row.fused_instructions),
    text: (row) => (row.fused_instructions === 0 ? NONE : count(row.fused_instructions)),
    spare: true,
  }),
  hlo('kernels', 'Kernels', 68, 'Number of kernels on the device', { text: (row) => count(row.kernels), spare: true }),
  hlo('framework_op', 'Framework operation', 220, 'Operation of the framework that it implements', {
    numeric: false,
    code: true,
    spare: true,
  }),
  hlo('source', 'Source line', 180, 'Line of code', { numeric: false, code: true, spare: true }),
  hlo('program', 'Program', 140, 'Compiled program', { numeric: false, code: true, spare: true }),
  hlo('shape', 'Result', 140, 'Shape of the result', { numeric: false, code: true, spare: true }),
  hlo('text', 'HLO', 320, 'Text of the instruction', { numeric: false, code: true, spare: true }),
];
