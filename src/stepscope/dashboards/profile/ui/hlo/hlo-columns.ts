// The columns of the table of compiled operations.
import { NONE } from '$web/draw/number';
import { count } from '$web/widgets/format';
import type { HloRow } from '$api';
import { builder, flop, rate, share, size, time, yesNo, type Column } from '../tables/table-columns';

const DOUBTS: Record<string, string> = {
  estimated: 'by the shapes of a library call',
  loop: 'a loop of unknown length counted once',
  unknown: 'without a library call that nothing is known of',
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
  hlo('category', 'Category', 100, 'What kind of work it is', { numeric: false }),
  hlo('count', 'Count', 56, 'Executions; several kernels of one execution count once', {
    text: (row) => count(row.count),
  }),
  hlo('self_us', 'Self', 64, 'Without what runs inside it', { text: (row) => time(row.self_us) }),
  hlo('share', 'of time', 60, "Of all compiled operations' self time", { text: (row) => share(row.share) }),
  hlo('flops_per_second', 'Arithmetic', 88, 'Arithmetic by time, of one device', {
    text: (row) => rate(row.flops_per_second, 'FLOP/s'),
  }),
  hlo('bytes_per_second', 'Bandwidth', 76, 'Bytes read and written by time, of one device', {
    text: (row) => rate(row.bytes_per_second, 'B/s'),
  }),
  hlo('flops_share_of_peak', 'of FLOP peak', 84, "Share of the device's arithmetic peak for its type of numbers", {
    text: (row) => share(row.flops_share_of_peak),
  }),
  hlo('bandwidth_share_of_peak', 'of bandwidth', 84, "Share of the device's memory bandwidth", {
    text: (row) => share(row.bandwidth_share_of_peak),
  }),
  hlo('bound_by', 'Bound by', 72, 'What would take longer at the peaks; ! where a peak is exceeded, and thus wrong', {
    numeric: false,
    text: boundText,
  }),
  hlo('wasted_us', 'Wasted', 64, 'Self time beyond what its arithmetic or bytes need at the peaks', {
    text: (row) => time(row.wasted_us),
  }),
  hlo('cumulative', 'Cumulative', 84, 'Share of this row and of all with more time, together', {
    text: (row) => share(row.cumulative),
    spare: true,
  }),
  hlo('average_us', 'Average', 76, 'Total time of one execution', { text: (row) => time(row.average_us), spare: true }),
  hlo('flops', 'FLOP', 76, 'Floating point operations in sum', { text: (row) => flop(row.flops), spare: true }),
  hlo('bytes', 'Accessed', 84, 'Bytes read and written in sum', { text: (row) => size(row.bytes), spare: true }),
  hlo('flops_per_byte', 'FLOP/byte', 80, 'Arithmetic intensity', {
    text: (row) => flop(row.flops_per_byte),
    spare: true,
  }),
  hlo('doubts', 'Counted', 160, 'What is not certain about arithmetic and bytes', {
    numeric: false,
    raw: (row) => doubtText(row.doubts),
    text: (row) => doubtText(row.doubts) || NONE,
    spare: true,
  }),
  hlo('rematerialised', 'Remat', 60, 'Computed again to save memory', {
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
  hlo('kernels', 'Kernels', 68, 'Pieces on the device', { text: (row) => count(row.kernels), spare: true }),
  hlo('framework_op', 'Framework operation', 220, 'What the framework calls it', {
    numeric: false,
    code: true,
    spare: true,
  }),
  hlo('source', 'Source', 180, 'Line of code', { numeric: false, code: true, spare: true }),
  hlo('program', 'Program', 140, 'Compiled program', { numeric: false, code: true, spare: true }),
  hlo('shape', 'Result', 140, 'Shape of the result', { numeric: false, code: true, spare: true }),
  hlo('text', 'HLO', 320, 'The instruction', { numeric: false, code: true, spare: true }),
];
