// Copies between memories: what may make a row, and the columns of their table.
import { NONE } from '$web/draw/number';
import { count } from '$web/widgets/format';
import type { TransferRow, TransfersBy } from '$api';
import type { Grouping } from './groupings';
import { builder, rate, size, time, type Column } from './table-columns';

export const TRANSFER_GROUPINGS: readonly Grouping<TransfersBy>[] = [
  { by: 'direction', label: 'Direction' },
  { by: 'operation', label: 'Operation' },
  { by: 'stream', label: 'Stream' },
];

const field = builder<TransferRow>();
export const TRANSFER_COLUMNS: readonly Column<TransferRow>[] = [
  field('direction', 'Copies', 120, 'Direction of the copies', { numeric: false }),
  field('op', 'Operation', 110, 'Operation that started them; empty when several did', {
    numeric: false,
    code: true,
  }),
  field(
    'host_memory',
    'Host memory',
    92,
    'Copies of pinned memory run while the host continues; copies of pageable memory do not',
    {
      numeric: false,
    },
  ),
  field('count', 'Count', 52, 'Number of copies in the whole profile', { text: (row) => count(row.count) }),
  field('bytes', 'Bytes', 72, 'Total size, where recorded', { text: (row) => size(row.bytes) }),
  field('total_us', 'Total', 64, 'Total duration in the whole profile', { text: (row) => time(row.total_us) }),
  field('bytes_per_second', 'Bandwidth', 76, 'Bandwidth while copying', {
    text: (row) => rate(row.bytes_per_second, 'B/s'),
  }),
  field('exposed_us', 'Exposed/step', 92, 'Time of a typical step that no other work hides', {
    text: (row) => time(row.exposed_us),
  }),
  field('overlapped_us', 'Hidden/step', 88, 'Time of a typical step in which they overlap with other work', {
    text: (row) => time(row.overlapped_us),
  }),
  field('blocked_us', 'Blocked', 64, 'Total time that host calls waited until such a copy ended', {
    text: (row) => time(row.blocked_us),
  }),
  field('blocked_by', 'Waiting call', 110, 'Host call that waited longest', { numeric: false, code: true }),
  field('streams', 'Stream', 60, 'Streams they ran on', {
    numeric: false,
    raw: ({ streams }) => streams.join(' '),
    text: ({ streams }) => (streams.length === 0 ? NONE : streams.join(', ')),
  }),
  field('device', 'Device', 70, 'Device that copies', { numeric: false, spare: true }),
  field('largest_bytes', 'Largest', 84, 'Largest copy', { text: (row) => size(row.largest_bytes), spare: true }),
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
