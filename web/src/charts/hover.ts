// What the pointer or the keyboard points at: the nearest line, the tooltip's rows and the x of the cursor.
import { formatCount, formatDuration, formatTime, formatValue } from '../draw/number';
import { pickRaster, type Raster } from '../draw/raster';
import { marksNear, readAt, readings, tooltipRows, type MarkReading, type Reading } from './nearest';
import type { Scene } from './scene';
import { brightOf } from './strands';
import type { ChartOptions, XAxis } from './types';

export interface Hover {
  readonly x: number;
  readonly nearest: Reading | null;
  readonly rows: readonly Reading[];
  /** Lines that have no row. */
  readonly more: number;
  readonly marks: readonly MarkReading[];
  /** Where the tooltip belongs, in the chart's CSS pixels. */
  readonly at: { readonly x: number; readonly y: number };
}

/** The cursor jumps to the nearest line's sample when it is this close. */
const SNAP = 24;
const MOST_MARKS = 3;
/** A line drawn within this many pixels is under the pointer. */
const TOUCH = 3;

function underPointer(all: Reading[], raster: Raster | null, ratio: number, left: number, top: number): Reading[] {
  if (!raster) return all;
  const index = pickRaster(raster, left * ratio, top * ratio, Math.round(TOUCH * ratio));
  const at = all.findIndex((reading) => reading.index === index);
  return at > 0 ? [all[at], ...all.slice(0, at), ...all.slice(at + 1)] : all;
}

export function hoverAt(
  scene: Scene,
  options: ChartOptions,
  point: { x: number; y: number },
  raster: Raster | null,
  ratio: number,
): Hover {
  const { plot } = scene;
  const { left, top } = plot.area;
  const all = underPointer(
    readings(scene.curves, plot, point.x, point.y),
    raster,
    ratio,
    point.x - left,
    point.y - top,
  );
  const nearest = all[0] ?? null;
  const snaps = nearest !== null && Math.abs(plot.x.map(nearest.x) - point.x) <= SNAP;
  const rows = tooltipRows(all, options.tooltipRows, options.tooltipSort);
  return {
    x: snaps ? nearest.x : plot.x.invert(point.x),
    nearest,
    rows,
    more: all.length - rows.length,
    marks: marksNear(scene.curves, plot, point.x, MOST_MARKS),
    at: point,
  };
}

/** The same for a curve and a value of x chosen with the keyboard. */
export function hoverOn(scene: Scene, options: ChartOptions, index: number, x: number): Hover | null {
  const reading = scene.curves[index] ? readAt(scene.curves[index], index, x) : null;
  if (!reading) return null;
  const point = { x: scene.plot.x.map(reading.x), y: scene.plot.y.map(reading.value) };
  if (Number.isNaN(point.x + point.y)) return null;
  return { ...hoverAt(scene, options, point, null, 1), x: reading.x, nearest: reading };
}

/** The sample `by` places to the right of x on a curve, staying on it. */
export function stepAlong(scene: Scene, index: number, x: number, by: number): number | null {
  const xs = [...new Set(brightOf(scene.curves[index]).flatMap((strand) => [...strand.x]))].sort((a, b) => a - b);
  if (xs.length === 0) return null;
  const nearest = xs.reduce((best, value, i) => (Math.abs(value - x) < Math.abs(xs[best] - x) ? i : best), 0);
  return xs[Math.max(0, Math.min(xs.length - 1, nearest + by))];
}

/** The next curve up or down at x, or the same when there is none. */
export function nextCurve(scene: Scene, index: number, x: number, up: boolean): number {
  const values = scene.curves.flatMap((curve, i) => {
    const reading = readAt(curve, i, x);
    return reading ? [{ i, value: reading.value }] : [];
  });
  values.sort((a, b) => a.value - b.value || a.i - b.i);
  const place = values.findIndex((entry) => entry.i === index);
  return values[place + (up ? 1 : -1)]?.i ?? index;
}

/** A value of x in words. */
export function describeX(x: number, axis: XAxis, label: string): string {
  switch (axis) {
    case 'step':
      return `${label} ${Number.isInteger(x) || Math.abs(x) >= 1e5 ? formatCount(x) : formatValue(x)}`;
    case 'relative':
      return formatDuration(x);
    case 'wall':
      return formatTime(x);
    case 'tag':
      return `${label} ${formatValue(x)}`;
  }
}
