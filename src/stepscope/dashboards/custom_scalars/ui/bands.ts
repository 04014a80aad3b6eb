// Makes the band of a chart from the two series that are its edges.
import type { Curve } from '$web/charts/types';
import type { SeriesPart } from '$web/api/series';

interface Line {
  x: Float64Array;
  y: Float64Array;
}

/** What is drawn bright: smoothed edges belong to a smoothed line. */
function brightOf({ x, y, smooth }: SeriesPart): Line {
  return smooth ?? { x, y };
}

/** Straight between points; x must not fall from one call to the next. */
function reader({ x, y }: Line): (at: number) => number {
  let place = 0;
  return (at) => {
    while (place + 1 < x.length && (x[place + 1] ?? Infinity) <= at) place += 1;
    const [x0, x1, y0, y1] = [x[place], x[place + 1], y[place], y[place + 1]];
    if (x0 === undefined || y0 === undefined) return NaN;
    if (x1 === undefined || y1 === undefined || at <= x0) return y0;
    return y0 + ((at - x0) / (x1 - x0)) * (y1 - y0);
  };
}

/** The edges at every x that either has, where both are known; each series is reduced by itself, so that their x differ. */
export function bandOf(lower: SeriesPart | undefined, upper: SeriesPart | undefined): Curve['band'] {
  if (lower === undefined || upper === undefined) return undefined;
  const [low, high] = [brightOf(lower), brightOf(upper)];
  if (low.x.length === 0 || high.x.length === 0) return undefined;
  const from = Math.max(low.x[0] ?? Infinity, high.x[0] ?? Infinity);
  const to = Math.min(low.x[low.x.length - 1] ?? -Infinity, high.x[high.x.length - 1] ?? -Infinity);
  const x = Float64Array.from(new Set([...low.x, ...high.x]))
    .filter((at) => at >= from && at <= to)
    .sort();
  if (x.length === 0) return undefined;
  return { x, low: x.map(reader(low)), high: x.map(reader(high)) };
}
