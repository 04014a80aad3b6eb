// The columns of the table below a roofline.
import { NONE } from '$web/draw/number';
import { count, value } from '$web/widgets/format';
import type { RooflinePoint } from '$api';
import { builder, flop, rate, share, size, time, yesNo, type Column } from '../tables/table-columns';

const field = builder<RooflinePoint>();
export const ROOFLINE_COLUMNS: readonly Column<RooflinePoint>[] = [
  field('name', 'Operation', 160, 'Name of the operation', { numeric: false, code: true }),
  field('detail', 'Detail', 140, 'Kernel, or kind of compiled operation', {
    numeric: false,
    code: true,
  }),
  field('share', 'Share', 60, "Share of the device's time", { text: (row) => share(row.share) }),
  field('total_us', 'Total', 68, 'Total duration in the whole profile', { text: (row) => time(row.total_us) }),
  field(
    'share_of_roof',
    'Roof share',
    76,
    'Achieved share of the lower roof at its FLOP/byte; ! marks more than the device can do',
    {
      text: (row) => (row.share_of_roof === null ? NONE : `${share(row.share_of_roof)}${row.implausible ? ' !' : ''}`),
    },
  ),
  field('bound_by', 'Bound by', 76, 'The lower roof: compute or memory', { numeric: false }),
  field('flops_per_byte', 'FLOP/byte', 72, 'Arithmetic intensity: FLOPs per byte of main memory', {
    text: (row) => (row.flops_per_byte === null ? NONE : value(row.flops_per_byte)),
  }),
  field('flops_per_second', 'FLOP/s', 92, 'Achieved FLOP/s', {
    text: (row) => rate(row.flops_per_second, 'FLOP/s'),
  }),
  field('flops_share_of_peak', 'FLOP util.', 72, 'Share of the peak FLOP/s in its number format', {
    text: (row) => share(row.flops_share_of_peak),
  }),
  field('bytes_per_second', 'Bandwidth', 76, 'Achieved memory bandwidth', {
    text: (row) => rate(row.bytes_per_second, 'B/s'),
  }),
  field('bandwidth_share_of_peak', 'BW util.', 72, 'Share of the peak memory bandwidth', {
    text: (row) => share(row.bandwidth_share_of_peak),
  }),
  field('count', 'Count', 64, 'Executions, or launches of the kernel', {
    text: (row) => count(row.count),
    spare: true,
  }),
  field('flops', 'FLOP', 84, 'FLOPs of all executions', { text: (row) => flop(row.flops), spare: true }),
  field('bytes', 'Accessed', 84, 'Bytes accessed by all executions', { text: (row) => size(row.bytes), spare: true }),
  field('flops_from', 'FLOP source', 92, 'Source of the FLOP count: input shapes, compiled HLO, or recorded', {
    numeric: false,
    spare: true,
  }),
  field('achieved_occupancy', 'Occupancy', 84, 'Estimated achieved occupancy; a fast kernel can have a low one', {
    text: (row) => share(row.achieved_occupancy),
    spare: true,
  }),
  field('rematerialised', 'Remat', 60, 'Recomputed to save memory', {
    numeric: false,
    raw: (row) => (row.rematerialised ? true : null),
    text: (row) => (row.rematerialised ? yesNo(true) : NONE),
    spare: true,
  }),
  field('device', 'Device', 90, 'Where it ran', { numeric: false, spare: true }),
];
