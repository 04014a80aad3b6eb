// Which part of x and y a chart shows, and how many values that leaves out.
import { bisectLeft, bisectRight } from 'd3-array';
import type { Interval } from '../draw/scale';
import { rawOf } from './strands';
import type { ChartOptions, Curve } from './types';

/** The shown part of y and what it hides; the counts are of drawn points. */
export interface Shown {
  readonly domain: Interval;
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

/** Cuts off far outliers, on the side where they are, never the inner 90 % of any curve. */
function withoutOutliers(extent: Extent, curves: readonly Curve[], log: boolean): Interval {
  const inner = new Extent();
  for (const { yInner } of curves) {
    if (!yInner) continue;
    if (!log || yInner[0] > 0) inner.add(yInner[0]);
    if (!log || yInner[1] > 0) inner.add(yInner[1]);
  }
  const { low, high } = extent;
  if (!inner.known || inner.low >= inner.high) return [low, high];
  const [to, from] = log ? [Math.log, Math.exp] : [(v: number) => v, (v: number) => v];
  const span = to(inner.high) - to(inner.low);
  const far = OUTLIER_SPANS * span;
  return [
    to(inner.low) - to(low) > far ? from(to(inner.low) - span / 4) : low,
    to(high) - to(inner.high) > far ? from(to(inner.high) + span / 4) : high,
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
    const wanted: Interval = ignoreOutliers ? withoutOutliers(extent, curves, logY) : [extent.low, extent.high];
    domain = extent.known ? padded(wanted, logY) : logY ? [0.1, 1] : [0, 1];
  }
  return { domain, ...hidden(curves, domain, x, logY) };
}

function hidden(curves: readonly Curve[], [low, high]: Interval, x: Interval, logY: boolean): Omit<Shown, 'domain'> {
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
