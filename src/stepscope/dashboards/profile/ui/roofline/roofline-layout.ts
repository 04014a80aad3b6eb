// Where roofs and points of a roofline lie: in FLOP/byte along and FLOP/s up, both logarithmic.
import type { Interval } from '$web/draw/scale';
import type { Roof, RooflinePoint } from '$api';

export interface Segment {
  kind: 'arithmetic' | 'memory' | 'nearer';
  label: string;
  /** What the label says of it: FLOP/s or bytes/s. */
  rate: number;
  from: readonly [number, number];
  to: readonly [number, number];
}

export interface Place {
  row: RooflinePoint;
  x: number;
  y: number;
}

/** Points that can be drawn: arithmetic and bytes are known, and neither is nothing. */
export function places(rows: readonly RooflinePoint[]): Place[] {
  return rows.flatMap((row) => {
    const { flops_per_byte: x, flops_per_second: y } = row;
    return x !== null && y !== null && x > 0 && y > 0 ? [{ row, x, y }] : [];
  });
}

/** Work that is slower by more than this is none to look at, and would press the rest together. */
const DECADES = 1e8;

/** What the axes must hold: each roof with its ridge, and all points that are not far too slow. */
export function domains(roofs: readonly Roof[], points: readonly Place[]): { x: Interval; y: Interval } {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  for (const roof of roofs) {
    for (const peak of Object.values(roof.flops_per_second)) {
      ys.push(peak);
      if (roof.bytes_per_second !== null) xs.push(peak / roof.bytes_per_second);
    }
  }
  const low = Math.min(1, ...xs) / 2;
  const high = Math.max(100, ...xs) * 4;
  if (ys.length === 0) return { x: [low, high], y: [1, 10] };
  const most = Math.max(...ys);
  return { x: [low, high], y: [Math.max(Math.min(...ys) / 4, most / DECADES), most * 2] };
}

/** Moves labels down so that each has room, in their order from the top. */
export function apart<Label extends { top: number }>(labels: readonly Label[], room: number): Label[] {
  let free = -Infinity;
  return [...labels]
    .sort((a, b) => a.top - b.top)
    .map((label) => {
      const top = Math.max(label.top, free);
      free = top + room;
      return { ...label, top };
    });
}

/** The lines of a roof inside the axes, from the highest arithmetic down, then memories from the main one on. */
export function segments(roof: Roof, x: Interval, y: Interval): Segment[] {
  const peaks = Object.entries(roof.flops_per_second).sort(([, a], [, b]) => b - a);
  const highest = peaks[0]?.[1] ?? y[1];
  const bandwidth = roof.bytes_per_second;
  const found: Segment[] = [];
  for (const [name, peak] of peaks) {
    const ridge = bandwidth === null ? x[0] : Math.max(x[0], peak / bandwidth);
    if (ridge < x[1])
      found.push({ kind: 'arithmetic', label: name, rate: peak, from: [ridge, peak], to: [x[1], peak] });
  }
  const memories = [
    ...(bandwidth === null ? [] : [{ kind: 'memory' as const, name: 'Memory', rate: bandwidth }]),
    ...[...roof.levels].reverse().map(({ name, bytes_per_second: rate }) => ({ kind: 'nearer' as const, name, rate })),
  ];
  for (const { kind, name, rate } of memories) {
    const start = Math.max(x[0], y[0] / rate);
    const end = Math.min(x[1], highest / rate);
    if (start < end) found.push({ kind, label: name, rate, from: [start, start * rate], to: [end, end * rate] });
  }
  return found;
}

/** The nearest point within reach of a pointer, all in pixels. */
export function nearest<Point extends { left: number; top: number }>(
  points: readonly Point[],
  left: number,
  top: number,
  reach: number,
): Point | null {
  let best: Point | null = null;
  let least = reach * reach;
  for (const point of points) {
    const distance = (point.left - left) ** 2 + (point.top - top) ** 2;
    if (distance <= least) [best, least] = [point, distance];
  }
  return best;
}
