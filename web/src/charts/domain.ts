// Which part of x and y a chart shows, and how many values that leaves out.
import { bisectLeft, bisectRight } from 'd3-array';
import type { Interval } from '../draw/scale';
import { rawOf } from './strands';
import type { ChartOptions, Curve } from './types';

/** The shown part of y and what it hides. */
export interface Shown {
  readonly domain: Interval;
  /** Whether points were left out when the curves were reduced for drawing: then there are at least so many as counted. */
  readonly reduced: boolean;
  readonly above: number;
  readonly below: number;
  /** Values of zero or less that a logarithmic axis cannot show. */
  readonly notPositive: number;
}

/** An outlier lies more than this many inner spans away from the inner 90 % of the values. */
const OUTLIER_SPANS = 3;
/** Space kept above and below the data, as a share of its height. */
const PADDING = 0.05;

class Extent {
  low = Infinity;
  high = -Infinity;

  add(value: number): void {
    if (value < this.low) this.low = value;
    if (value > this.high) this.high = value;
  }

  get known(): boolean {
    return this.low <= this.high;
  }
}

/** Wall times have no meaningful zero, so they are never logarithmic. */
export const isLogX = (options: ChartOptions): boolean => options.logX && options.xAxis !== 'wall';

export function xDomain(curves: readonly Curve[], options: ChartOptions): Interval {
  if (options.xRange) return options.xRange;
  const log = isLogX(options);
  const extent = new Extent();
  for (const curve of curves) {
    if (curve.xExtent && !(log && curve.xExtent[0] <= 0)) {
      extent.add(curve.xExtent[0]);
      extent.add(curve.xExtent[1]);
      continue;
    }
    for (const source of [curve.x, curve.smooth?.x, curve.band?.x, curve.marks?.x])
      for (const value of source ?? []) if (Number.isFinite(value) && (!log || value > 0)) extent.add(value);
  }
  return extent.known ? [extent.low, extent.high] : log ? [1, 10] : [0, 1];
}

function visit(xs: Float64Array, [low, high]: Interval, see: (i: number) => void): void {
  for (let i = bisectLeft(xs, low), end = bisectRight(xs, high); i < end; i += 1) see(i);
}

function dataExtent(curves: readonly Curve[], x: Interval, log: boolean): Extent {
  const extent = new Extent();
  const add = (value: number): void => {
    if (Number.isFinite(value) && (!log || value > 0)) extent.add(value);
  };
  for (const curve of curves) {
    for (const strand of rawOf(curve)) visit(strand.x, x, (i) => add(strand.y[i]));
    const { band, smooth } = curve;
    if (smooth) smooth.y.forEach((value, i) => smooth.x[i] >= x[0] && smooth.x[i] <= x[1] && add(value));
    if (band) {
      visit(band.x, x, (i) => {
        add(band.low[i]);
        add(band.high[i]);
      });
    }
  }
  // Zoomed in between two points: the line still crosses the view.
  if (!extent.known) for (const curve of curves) curve.y.forEach(add);
  return extent;
}

interface Inner {
  readonly low: number;
  readonly high: number;
  readonly weight: number;
}

/** The inner 90 % of each curve with the number of its points; on a logarithmic axis, of its positive values. */
function innersOf(curves: readonly Curve[], log: boolean): Inner[] {
  return curves.flatMap(({ yInner, weight = 1 }) => {
    if (!yInner || weight <= 0 || (log && yInner[1] <= 0)) return [];
    return [{ low: log && yInner[0] <= 0 ? yInner[1] : yInner[0], high: yInner[1], weight }];
  });
}

/**
 * Where a share of the points of all curves lies below. A curve has 5 % of its points at either end of its inner range and
 * the others evenly between: for one curve alone this gives back the ends that it was made from.
 */
function pooledAt(inners: readonly Inner[], share: number): number {
  const total = inners.reduce((sum, { weight }) => sum + weight, 0);
  const edges = inners.flatMap(({ low, high, weight }) => {
    const slope = high > low ? (0.9 * weight) / (high - low) : 0;
    const tail = (high > low ? 0.05 : 0.5) * weight;
    return [
      { at: low, jump: tail, slope },
      { at: high, jump: tail, slope: -slope },
    ];
  });
  edges.sort((a, b) => a.at - b.at);
  const wanted = share * total * (1 - 1e-9);
  let [below, slope, at] = [0, 0, edges[0]?.at ?? 0];
  for (const edge of edges) {
    const reached = below + slope * (edge.at - at);
    if (slope > 0 && reached >= wanted) return at + (wanted - below) / slope;
    below = reached + edge.jump;
    at = edge.at;
    slope += edge.slope;
    if (below >= wanted) return at;
  }
  return at;
}

/** The inner 90 % of all points of the chart; null when no curve says its own. */
function pooledInner(curves: readonly Curve[], log = false): [number, number] | null {
  const inners = innersOf(curves, log);
  return inners.length === 0 ? null : [pooledAt(inners, 0.05), pooledAt(inners, 0.95)];
}

/**
 * Cuts off far outliers, on the side where they are: values far from the inner 90 % of all points of the chart, so that one
 * run that diverged does not flatten the others. Whoever has zoomed in looks at what is there: then only whole curves that
 * are far away are left out.
 */
function withoutOutliers(extent: Extent, curves: readonly Curve[], x: Interval, options: ChartOptions): Interval {
  const log = options.logY;
  const all: Interval = [extent.low, extent.high];
  const inner = pooledInner(curves, log);
  if (inner === null || inner[0] >= inner[1]) return all;
  const [to, from] = log ? [Math.log, Math.exp] : [(v: number) => v, (v: number) => v];
  const span = to(inner[1]) - to(inner[0]);
  const isFarBelow = (value: number): boolean => to(inner[0]) - to(value) > OUTLIER_SPANS * span;
  const isFarAbove = (value: number): boolean => to(value) - to(inner[1]) > OUTLIER_SPANS * span;
  if (options.xRange) {
    const near = curves.filter(({ yInner }) => !yInner || !(isFarBelow(yInner[1]) || isFarAbove(yInner[0])));
    const kept = near.length === curves.length ? extent : dataExtent(near, x, log);
    return kept.known ? [kept.low, kept.high] : all;
  }
  return [
    isFarBelow(extent.low) ? from(to(inner[0]) - span / 4) : extent.low,
    isFarAbove(extent.high) ? from(to(inner[1]) + span / 4) : extent.high,
  ];
}

function padded([low, high]: Interval, log: boolean): Interval {
  if (log) {
    const factor = high > low ? (high / low) ** PADDING : 1.5;
    return [low / factor, high * factor];
  }
  const pad = high > low ? (high - low) * PADDING : Math.abs(low) * 0.1 || 1;
  return [low - pad, high + pad];
}

export function yShown(curves: readonly Curve[], options: ChartOptions, x: Interval): Shown {
  const { logY, yRange, ignoreOutliers } = options;
  let domain: Interval;
  if (yRange) domain = yRange;
  else {
    const extent = dataExtent(curves, x, logY);
    const wanted: Interval = ignoreOutliers ? withoutOutliers(extent, curves, x, options) : [extent.low, extent.high];
    domain = extent.known ? padded(wanted, logY) : logY ? [0.1, 1] : [0, 1];
  }
  const reduced = curves.some(({ weight, y }) => weight !== undefined && weight > y.length);
  return { domain, reduced, ...hidden(curves, domain, x, logY) };
}

function hidden(
  curves: readonly Curve[],
  [low, high]: Interval,
  x: Interval,
  logY: boolean,
): Omit<Shown, 'domain' | 'reduced'> {
  let [above, below, notPositive] = [0, 0, 0];
  for (const curve of curves) {
    for (const { x: xs, y: ys } of rawOf(curve)) {
      visit(xs, x, (i) => {
        if (logY && ys[i] <= 0) notPositive += 1;
        else if (ys[i] > high) above += 1;
        else if (ys[i] < low) below += 1;
      });
    }
  }
  return { above, below, notPositive };
}

/** How many points a logarithmic x axis has no place for, sent or not. */
export function pointsOffLogX(curves: readonly Curve[], options: ChartOptions): number {
  if (!isLogX(options)) return 0;
  const left = (curve: Curve): number =>
    curve.x.reduce((count, value) => count + Number(value <= 0), curve.offLogX ?? 0);
  return curves.reduce((sum, curve) => sum + left(curve), 0);
}
