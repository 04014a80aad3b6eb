// Builds runs for tests.
import type { Run } from '../api/types';

let serial = 0;

export function aRun(name: string, more: Partial<Run> = {}): Run {
  serial++;
  return {
    id: serial.toString(16).padStart(12, '0'),
    name,
    root: '',
    experiment: null,
    role: null,
    status: 'finished',
    status_reason: '',
    started: 1000 + serial,
    last_event: 2000 + serial,
    last_point: 2000 + serial,
    last_write: 2000 + serial,
    points: 10,
    series: 1,
    files: 1,
    bytes: 100,
    skipped_records: 0,
    writers_at_once: 1,
    restarts: 0,
    profiles: 0,
    notices: [],
    display_name: null,
    note: null,
    colour: null,
    hidden: false,
    pinned: false,
    labels: [],
    ...more,
  };
}
