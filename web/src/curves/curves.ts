// Makes the lines of a chart from what the server sent, and the words about them.
import type { Curve, Dash } from '../charts/types';
import { seriesKey, type GroupPart, type SeriesPart } from '../api/series';
import type { Run, SegmentsMode } from '../api/types';
import { groupKey, type Group } from '../runs/groups';
import { visibleName } from '../runs/names';
import type { Row } from '../runs/rows';
import { count, plural } from '../widgets/format';

export interface CurveContext {
  rowOf: (run: string) => Row | undefined;
  labelOf: (row: Row) => string;
  /** Further tags of a run have other shades of its colour. */
  colourOf: (run: string, shade: number) => string;
  dashOf: (run: Run) => Dash;
  segments: SegmentsMode;
  /** Whether all of x was asked for, to be drawn on a logarithmic axis. */
  wholeLogX: boolean;
}

function curveLabel(label: string, row: Row, run: Run, tag: string, several: boolean): string {
  const role = row.runs.length > 1 && run.role !== null ? ` ${run.role}` : '';
  return visibleName(several ? `${label}${role} ${tag}` : `${label}${role}`);
}

/** The server leaves out what a logarithmic axis cannot show and says so only by its counts. */
function offLogX(part: SeriesPart, { segments, wholeLogX }: CurveContext): number {
  if (!wholeLogX || part.x_extent === null || part.x_extent[0] > 0) return 0;
  return Math.max(0, part.points - (segments === 'latest' ? part.superseded : 0) - part.in_range);
}

/** In order of `tags`, then of `visible`; series without points make no line. */
export function makeCurves(
  tags: readonly string[],
  visible: readonly string[],
  parts: ReadonlyMap<string, SeriesPart>,
  context: CurveContext,
): Curve[] {
  const curves: Curve[] = [];
  tags.forEach((tag, place) => {
    for (const id of visible) {
      const part = parts.get(seriesKey(id, tag));
      const row = context.rowOf(id);
      const run = row?.runs.find((one) => one.id === id);
      if (part === undefined || part.points === 0 || row === undefined || run === undefined) continue;
      curves.push({
        key: seriesKey(id, tag),
        label: curveLabel(context.labelOf(row), row, run, tag, tags.length > 1),
        colour: context.colourOf(id, place),
        dash: context.dashOf(run),
        x: part.x,
        y: part.y,
        step: part.step,
        wall: part.wall,
        segment: part.segment,
        smooth: part.smooth ?? undefined,
        marks: part.marks ?? undefined,
        yExtent: part.y_extent,
        yInner: part.y_inner,
        weight: part.in_range,
        xExtent: part.x_extent,
        offLogX: offLogX(part, context),
        splitSegments: context.segments === 'split',
      });
    }
  });
  return curves;
}

function extentOf(...columns: Float64Array[]): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (const column of columns) {
    for (const value of column) {
      if (value < low) low = value;
      if (value > high && value !== Infinity) high = value;
    }
  }
  return low <= high ? [low, high] : null;
}

/** The 5th and 95th percentile, as the server gives them for single curves. */
function innerOf(column: Float64Array): [number, number] | null {
  const finite = new Float64Array(column.length);
  let known = 0;
  for (const value of column) if (Number.isFinite(value)) finite[known++] = value;
  if (known === 0) return null;
  const sorted = finite.subarray(0, known).sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return [at(0.05), at(0.95)];
}

export function makeGroupCurves(
  groups: readonly Group[],
  parts: readonly GroupPart[],
  look: { colourOf(name: string): string; dashOf(group: Group): Dash; labelOf(group: Group): string },
): Curve[] {
  return parts.flatMap((part, i) => {
    const group = groups[i];
    if (group === undefined || part.x.length === 0) return [];
    const members = part.n_min === part.n_max ? count(part.n_max) : `${count(part.n_min)}–${count(part.n_max)}`;
    return [
      {
        key: groupKey(group),
        label: visibleName(`${look.labelOf(group)} (n = ${members})`),
        colour: look.colourOf(group.name),
        dash: look.dashOf(group),
        x: part.x,
        y: part.mid,
        step: part.x,
        wall: new Float64Array(part.x.length).fill(Number.NaN),
        segment: new Int32Array(part.x.length),
        band: { x: part.x, low: part.low, high: part.high },
        marks: part.marks ?? undefined,
        yExtent: extentOf(part.low, part.high, part.mid),
        yInner: innerOf(part.mid),
        xExtent: extentOf(part.x),
      },
    ];
  });
}

/** How many runs a group has at a step, for the tooltip. */
export function membersAt(part: GroupPart | undefined, x: number): string {
  const place = part?.x.indexOf(x) ?? -1;
  return part === undefined || place < 0 ? '' : count(part.n[place] ?? 0);
}

/** Runs that a group has lost, as a mean of the others looks as if nothing had happened. */
export function describeLost(parts: readonly GroupPart[]): string[] {
  const ended = parts.reduce((sum, part) => sum + part.ended, 0);
  return ended === 0
    ? []
    : [
        `${plural(ended, 'run')} ended in NaN or Inf. The group's line continues without ${ended === 1 ? 'it' : 'them'}.`,
      ];
}

export interface PointCounts {
  drawn: number;
  all: number;
  superseded: number;
  nan: number;
  inf: number;
}

export function countPoints(parts: Iterable<SeriesPart>): PointCounts {
  const counts = { drawn: 0, all: 0, superseded: 0, nan: 0, inf: 0 };
  for (const part of parts) {
    // A value that is not finite is drawn as a mark on the edge.
    counts.drawn += Math.min(part.x.length + (part.marks?.x.length ?? 0), part.points);
    counts.nan += part.nan;
    counts.inf += part.inf;
    counts.all += part.points;
    counts.superseded += part.superseded;
  }
  return counts;
}

/** The corner of a card: "1998 of 48 210 points, 1240 superseded". */
export function describePoints({ drawn, all, superseded, nan, inf }: PointCounts): string {
  if (all === 0) return '';
  const points =
    drawn < all ? `${count(drawn)} of ${count(all)} points` : `${count(all)} ${all === 1 ? 'point' : 'points'}`;
  const also: [number, string][] = [
    [superseded, 'superseded'],
    [nan, 'NaN'],
    [inf, 'Inf'],
  ];
  return [points, ...also.filter(([amount]) => amount > 0).map(([amount, name]) => `${count(amount)} ${name}`)].join(
    ', ',
  );
}

export function describeOffLogX(points: number): string {
  if (points === 0) return '';
  return `${plural(points, 'point')} at x ≤ 0 hidden by the log axis`;
}

const NOTICES: Record<string, string> = {
  two_values_per_step: 'Some steps have two values. Check whether two places in the code log this tag.',
  step_restarts_each_epoch: 'Steps restart each epoch. Log with a global step instead.',
  concurrent_writers: 'Several processes wrote to this run at the same time. All their points are shown.',
  one_step_only: 'All points have the same step. Choose wall time as the x axis, or log with a step.',
};

export function describeNotices(parts: Iterable<SeriesPart>): string[] {
  const found = new Set<string>();
  for (const part of parts) for (const notice of part.notices) found.add(NOTICES[notice] ?? notice);
  return [...found];
}

/** Where runs were restarted; only steps are known, so only a step axis shows them. */
export function restartSteps(parts: Iterable<SeriesPart>): number[] {
  const steps = new Set<number>();
  for (const part of parts) {
    for (const segment of part.segments) if (segment.cause !== 'start') steps.add(segment.first_step);
  }
  return [...steps];
}

/** From the lowest to the highest of all; null when none is known. */
export function unionOf(ranges: readonly (readonly [number, number] | null)[]): [number, number] | null {
  const known = ranges.filter((range) => range !== null);
  if (known.length === 0) return null;
  return [Math.min(...known.map(([low]) => low)), Math.max(...known.map(([, high]) => high))];
}
