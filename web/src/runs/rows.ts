// Turns runs into the rows of the run list: an experiment's train and validation folders are one row.
import type { Run, RunRole, RunStatus } from '../api/types';

export interface Row {
  /** The id of its first run: colours, links and notes hang on it. */
  id: string;
  /** Path in the log folder. */
  name: string;
  /** The name the user gave, or the path. */
  label: string;
  /** Train first; at least one. */
  runs: readonly Run[];
  status: RunStatus;
  statusReason: string;
  started: number | null;
  lastEvent: number | null;
  /** Wall time of its newest value; the last event may only tell that the run ended. */
  lastPoint: number | null;
  points: number;
  skipped: number;
  restarts: number;
  note: string | null;
  colour: string | null;
  pinned: boolean;
  hidden: boolean;
  labels: readonly string[];
}

const ROLE_ORDER: Record<RunRole, number> = { train: 0, validation: 1, eval: 2, test: 3 };
/** When runs of one row differ, the row shows the liveliest. */
const STATUS_ORDER: RunStatus[] = ['live', 'stuck', 'crashed', 'stale', 'finished', 'profile_only'];

/** As people read it. */
export function statusWord(status: RunStatus): string {
  return status.replace('_', ' ');
}

function withRoot(run: Run, path: string): string {
  return run.root === '' ? path : `${run.root}/${path}`;
}

function extreme(values: readonly (number | null)[], pick: (...all: number[]) => number): number | null {
  const known = values.filter((one) => one !== null);
  return known.length === 0 ? null : pick(...known);
}

function makeRow(runs: readonly Run[], name: string): Row {
  const sorted = [...runs].sort((a, b) => (a.role ? ROLE_ORDER[a.role] : 9) - (b.role ? ROLE_ORDER[b.role] : 9));
  const first = sorted[0] as Run;
  const lead = STATUS_ORDER.map((status) => sorted.find((run) => run.status === status)).find(Boolean) ?? first;
  const sum = (pick: (run: Run) => number): number => sorted.reduce((total, run) => total + pick(run), 0);
  return {
    id: first.id,
    name,
    label: first.display_name ?? name,
    runs: sorted,
    status: lead.status,
    statusReason: lead.status_reason,
    started: extreme(
      sorted.map((run) => run.started),
      Math.min,
    ),
    lastEvent: extreme(
      sorted.map((run) => run.last_event),
      Math.max,
    ),
    lastPoint: extreme(
      sorted.map((run) => run.last_point),
      Math.max,
    ),
    points: sum((run) => run.points),
    skipped: sum((run) => run.skipped_records),
    restarts: Math.max(...sorted.map((run) => run.restarts)),
    note: first.note,
    colour: first.colour,
    pinned: first.pinned,
    hidden: first.hidden,
    labels: first.labels,
  };
}

/** Keeps the order of `runs`; an experiment stands where its first run stood. */
export function makeRows(runs: readonly Run[], split: boolean): Row[] {
  const together = new Map<string, Run[]>();
  for (const run of runs) {
    const key = split || run.experiment === null ? `run\u0000${run.id}` : `${run.root}\u0000${run.experiment}`;
    const found = together.get(key);
    if (found === undefined) together.set(key, [run]);
    else found.push(run);
  }
  return [...together.values()].map((members) => {
    const first = members[0] as Run;
    const path = members.length > 1 || !split ? (first.experiment ?? first.name) : first.name;
    const row = makeRow(members, withRoot(first, path));
    // A name given to the whole experiment needs the folder to tell its parts apart.
    const parted = split && first.experiment !== null && first.role !== null && first.display_name !== null;
    return parted ? { ...row, label: `${row.label} ${first.role}` } : row;
  });
}
