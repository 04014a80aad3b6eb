// Copies between memories: the shape of a row, what may make one, and the columns of their table.
import { NONE } from '$web/draw/number';
import { count } from '$web/widgets/format';
import type { Grouping } from './groupings';
import { builder, rate, size, time, type Column } from './table-columns';

export interface TransferRow {
  direction: string;
  /** Of the host's side: pinned, pageable, managed or unknown; empty where no side is the host's. */
  host_memory: string;
  source_memory: string;
  target_memory: string;
  device: string;
  op: string;
  streams: number[];
  count: number;
  bytes: number | null;
  largest_bytes: number | null;
  total_us: number;
  bytes_per_second: number | null;
  exposed_us: number;
  overlapped_us: number;
  blocked_us: number;
  blocked_by: string;
}

export const TRANSFER_GROUPINGS: readonly Grouping[] = [
  { by: 'direction', label: 'Direction' },
  { by: 'operation', label: 'Operation' },
  { by: 'stream', label: 'Stream' },
];

const field = builder<TransferRow>();
export const TRANSFER_COLUMNS: readonly Column<TransferRow>[] = [
  field('direction', 'Copies', 120, 'Where they go', { numeric: false }),
  field('op', 'Operation', 110, 'The operation that started them; none when several did', {
    numeric: false,
    code: true,
  }),
  field('host_memory', "Host's memory", 92, 'Pinned memory is copied while the host goes on; pageable memory is not', {
    numeric: false,
  }),
  field('count', 'Count', 52, 'Copies in the whole recording', { text: (row) => count(row.count) }),
  field('bytes', 'Bytes', 72, 'In sum, where the file tells sizes', { text: (row) => size(row.bytes) }),
  field('total_us', 'Total', 64, 'In sum over the whole recording', { text: (row) => time(row.total_us) }),
  field('bytes_per_second', 'Bandwidth', 76, 'Bytes per second while copying', {
    text: (row) => rate(row.bytes_per_second, 'B/s'),
  }),
  field('exposed_us', 'Exposed', 64, 'Part of a typical step that nothing else hides', {
    text: (row) => time(row.exposed_us),
  }),
  field('overlapped_us', 'Overlapped', 76, 'Part of a typical step in which they run beside something else', {
    text: (row) => time(row.overlapped_us),
  }),
  field('blocked_us', 'Blocked', 64, 'How long host calls waited until such a copy had ended, in sum', {
    text: (row) => time(row.blocked_us),
  }),
  field('blocked_by', 'Waiting call', 110, 'The call that waited longest', { numeric: false, code: true }),
  field('streams', 'Stream', 60, 'Streams on which they ran', {
    numeric: false,
    raw: ({ streams }) => streams.join(' '),
    text: ({ streams }) => (streams.length === 0 ? NONE : streams.join(', ')),
  }),
  field('device', 'Device', 70, 'The device that copies', { numeric: false, spare: true }),
  field('largest_bytes', 'Largest', 84, 'The largest of them', { text: (row) => size(row.largest_bytes), spare: true }),
  field('source_memory', 'From', 76, 'Kind of memory that is read', {
    numeric: false,
    raw: ({ source_memory }) => (source_memory === 'unknown' ? '' : source_memory),
    text: ({ source_memory }) => (source_memory === 'unknown' ? NONE : source_memory),
    spare: true,
  }),
  field('target_memory', 'To', 76, 'Kind of memory that is written', {
    numeric: false,
    raw: ({ target_memory }) => (target_memory === 'unknown' ? '' : target_memory),
    text: ({ target_memory }) => (target_memory === 'unknown' ? NONE : target_memory),
    spare: true,
  }),
];
