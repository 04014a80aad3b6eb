// Which curves are near the pointer, and what their values are there.
import { bisectLeft, bisectRight } from 'd3-array';
import type { Plot } from '../draw/layer';
import { brightOf, rawOf, type Strand } from './strands';
import type { Curve, TooltipSort } from './types';

/** A curve's point nearest to the cursor. */
export interface Reading {
  readonly curve: Curve;
  /** Position of the curve in the chart's list. */
  readonly index: number;
  /** Pixels from the pointer to the line. */
  readonly distance: number;
  readonly x: number;
  readonly step: number;
  readonly wall: number;
  /** The bright line's value; with smoothing, `raw` is the logged one. */
  readonly value: number;
  readonly raw: number | null;
  /** The ends of the band there, for groups of runs. */
  readonly band: readonly [number, number] | null;
}

/** Lines are looked for this far left and right of the pointer. */
const REACH = 6;
/** A curve that ended further away than this has no value at the cursor. */
const BEYOND = 24;

function toSegment(px: number, py: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const t = length === 0 ? 0 : Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / length));
  return Math.hypot(px - ax - t * dx, py - ay - t * dy);
}

/** Pixels between a point and a strand, looking only at its part around the pointer. */
function distanceTo(strand: Strand, px: number, py: number, { x, y }: Plot): number {
  const first = Math.max(0, bisectLeft(strand.x, x.invert(px - REACH)) - 1);
  const last = Math.min(strand.x.length - 1, bisectRight(strand.x, x.invert(px + REACH)));
  let least = Infinity;
  let [ax, ay] = [NaN, NaN];
  for (let i = first; i <= last; i += 1) {
    const [bx, by] = [x.map(strand.x[i]), y.map(strand.y[i])];
    if (Number.isNaN(bx + by)) continue;
    const distance = toSegment(px, py, Number.isNaN(ax) ? bx : ax, Number.isNaN(ay) ? by : ay, bx, by);
    if (distance < least) least = distance;
    [ax, ay] = [bx, by];
  }
  return least;
}

/** Index of the sample nearest to a value of x. */
export function nearestIndex(xs: Float64Array, x: number): number {
  const right = bisectLeft(xs, x);
  if (right === 0) return 0;
  if (right >= xs.length) return xs.length - 1;
  return x - xs[right - 1] <= xs[right] - x ? right - 1 : right;
}

interface Found {
  strand: Strand;
  at: number;
  away: number;
}

function nearestPoint(strands: readonly Strand[], x: number): Found | null {
  let best: Found | null = null;
  for (const strand of strands) {
    const at = nearestIndex(strand.x, x);
    const away = Math.abs(strand.x[at] - x);
    // Of equally near segments the newest counts.
    if (!best || away < best.away || (away === best.away && strand.segment > best.strand.segment))
      best = { strand, at, away };
  }
  return best;
}

function bandAt({ band }: Curve, x: number): [number, number] | null {
  if (!band || band.x.length === 0) return null;
  const at = nearestIndex(band.x, x);
  return [band.low[at], band.high[at]];
}

/** The value of one curve at x, whatever the pointer's height. */
export function readAt(curve: Curve, index: number, x: number, distance = 0): Reading | null {
  const bright = nearestPoint(brightOf(curve), x);
  if (!bright) return null;
  const raw = curve.smooth ? nearestPoint(rawOf(curve), bright.strand.x[bright.at]) : bright;
  const origin = raw ? (raw.strand.origin?.[raw.at] ?? raw.at) : -1;
  return {
    curve,
    index,
    distance,
    x: bright.strand.x[bright.at],
    step: curve.step[origin] ?? NaN,
    wall: curve.wall[origin] ?? NaN,
    value: bright.strand.y[bright.at],
    raw: curve.smooth && raw ? raw.strand.y[raw.at] : null,
    band: bandAt(curve, bright.strand.x[bright.at]),
  };
}

/** All curves with a value at the pointer, nearest first. */
export function readings(curves: readonly Curve[], plot: Plot, px: number, py: number): Reading[] {
  const x = plot.x.invert(px);
  const found: Reading[] = [];
  curves.forEach((curve, index) => {
    let distance = Infinity;
    for (const strand of brightOf(curve)) distance = Math.min(distance, distanceTo(strand, px, py, plot));
    if (distance === Infinity) return;
    const reading = readAt(curve, index, x, distance);
    if (reading && !endedBefore(reading, x, plot, px)) found.push(reading);
  });
  return found.sort((a, b) => a.distance - b.distance);
}

function endedBefore(reading: Reading, x: number, plot: Plot, px: number): boolean {
  const strands = brightOf(reading.curve);
  const inside = strands.some((s) => s.x[0] <= x && x <= s.x[s.x.length - 1]);
  return !inside && Math.abs(plot.x.map(reading.x) - px) > BEYOND;
}

const byName = new Intl.Collator('en', { numeric: true });

/** The nearest few, in the order the user asked for. */
export function tooltipRows(nearestFirst: readonly Reading[], rows: number, sort: TooltipSort): Reading[] {
  const few = nearestFirst.slice(0, Math.max(1, rows));
  switch (sort) {
    case 'nearest':
      return few;
    case 'value':
      return few.sort((a, b) => b.value - a.value);
    case 'value_ascending':
      return few.sort((a, b) => a.value - b.value);
    case 'name':
      return few.sort((a, b) => byName.compare(a.curve.label, b.curve.label));
  }
}

/** Neighbouring values of one curve that are not finite in the same way. */
export interface MarkReading {
  readonly curve: Curve;
  /** The first of them. */
  readonly x: number;
  readonly kind: number;
  readonly count: number;
}

/** Values that are not finite within a few pixels of the pointer, one entry per curve and kind. */
export function marksNear(curves: readonly Curve[], plot: Plot, px: number, most: number): MarkReading[] {
  const [low, high] = [plot.x.invert(px - REACH), plot.x.invert(px + REACH)];
  const found: MarkReading[] = [];
  for (const curve of curves) {
    if (!curve.marks || found.length >= most) continue;
    const { x, kind } = curve.marks;
    const [first, end] = [bisectLeft(x, low), bisectRight(x, high)];
    for (const wanted of [1, 2, 3]) {
      const near = kind.subarray(first, end);
      const at = near.indexOf(wanted);
      if (at < 0) continue;
      const count = near.reduce((sum, value) => sum + Number(value === wanted), 0);
      found.push({ curve, x: x[first + at], kind: wanted, count });
    }
  }
  return found.slice(0, most);
}
