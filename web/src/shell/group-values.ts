// The inspector's rows for groups of runs: what is drawn of them at a step, or a summary of their members over a range.
import { nearestIndex } from '../charts/nearest';
import type { GroupPart } from '../api/series';
import { toNumber, type TableRow, type XAxisName } from '../api/types';
import type { Group } from '../runs/groups';
import { byValue, type ValueRow } from './step-values';

export interface GroupRow {
  group: Group;
  value: number | null;
  /** Ends of the band, or of all values over a range. */
  low: number | null;
  high: number | null;
  n: number;
  mean: number | null;
  change: number | null;
  members: ValueRow[];
}

/** The part of x that holds each run's point nearest to the pinned x; null when no run has one. */
export function rangeAround(rows: readonly TableRow[], x: XAxisName): [number, number] | null {
  const places = rows
    .filter((row) => row.count > 0)
    .map((row) => (x === 'relative' ? row.relative : x === 'wall' ? row.wall : row.step))
    .map(toNumber)
    .filter((place) => place !== null);
  if (places.length === 0) return null;
  const [low, high] = [Math.min(...places), Math.max(...places)];
  // Times are sums of fractions: the last digit may differ from the curve's.
  const slack = 1e-9 * Math.max(Math.abs(low), Math.abs(high));
  return x === 'step' ? [low, high] : [low - slack, high + slack];
}

function membersOf(group: Group, rows: readonly ValueRow[]): ValueRow[] {
  const runs = new Set(group.runs);
  return rows.filter((row) => runs.has(row.run));
}

/** The groups' lines at x; `parts` are in the order of `groups`. */
export function groupRowsAt(
  groups: readonly Group[],
  parts: readonly GroupPart[],
  at: number,
  rows: readonly ValueRow[],
): GroupRow[] {
  const found = groups.flatMap((group, i): GroupRow[] => {
    const part = parts[i];
    if (part === undefined || part.x.length === 0) return [];
    const place = nearestIndex(part.x, at);
    const pick = (column: Float64Array | Int32Array): number => column[place] ?? Number.NaN;
    const [value, low, high, n] = [part.mid, part.low, part.high, part.n].map(pick) as [number, number, number, number];
    return [{ group, value, low, high, n, mean: null, change: null, members: membersOf(group, rows) }];
  });
  return found.sort(byValue);
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function extreme(values: readonly (number | null)[], pick: (...all: number[]) => number): number | null {
  const known = values.filter((value) => value !== null && !Number.isNaN(value)) as number[];
  return known.length === 0 ? null : pick(...known);
}

export function groupRowsOver(groups: readonly Group[], rows: readonly ValueRow[]): GroupRow[] {
  const found = groups.flatMap((group): GroupRow[] => {
    const members = membersOf(group, rows);
    if (members.length === 0) return [];
    return [
      {
        group,
        value: mean(members.map((row) => row.value)),
        low: extreme(
          members.map((row) => row.min),
          Math.min,
        ),
        high: extreme(
          members.map((row) => row.max),
          Math.max,
        ),
        n: members.length,
        mean: mean(members.map((row) => row.mean)),
        change: mean(members.map((row) => row.change)),
        members,
      },
    ];
  });
  return found.sort(byValue);
}
