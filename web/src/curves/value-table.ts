// The table below a chart: what every line is at the cursor or at its end, and its lowest and highest value in view.
import { readAt } from '../charts/nearest';
import type { Curve } from '../charts/types';
import { compareNames } from '../runs/names';

export interface TableLine {
  curve: Curve;
  /** At the asked x, or the last one; undefined without any finite value. */
  value: number | undefined;
  /** Where that value was logged. */
  x: number | undefined;
  /** Of the points in view; of a group its band there. */
  low: number | undefined;
  high: number | undefined;
}

/** What an answer of the server says about a line at a pinned x, which is exact where drawn points are few of many. */
export type KnownValues = ReadonlyMap<string, { value: number; x: number }>;

function lastOf({ x, y, smooth, band }: Curve): Pick<TableLine, 'value' | 'x' | 'low' | 'high'> {
  const line = smooth ?? { x, y };
  const end = line.y.length - 1;
  return {
    value: line.y[end],
    x: line.x[end],
    low: band?.low[band.low.length - 1],
    high: band?.high[band.high.length - 1],
  };
}

/** One line for each curve; `at` null is its end. */
export function tableLines(curves: readonly Curve[], at: number | null, known: KnownValues = new Map()): TableLine[] {
  return curves.map((curve, index) => {
    const extremes = { low: curve.yExtent?.[0], high: curve.yExtent?.[1] };
    if (at === null) return { curve, ...extremes, ...withoutNone(lastOf(curve)) };
    const reading = readAt(curve, index, at);
    const band = reading?.band === null || reading === null ? {} : { low: reading.band[0], high: reading.band[1] };
    const exact = known.get(curve.key);
    return { curve, ...extremes, value: exact?.value ?? reading?.value, x: exact?.x ?? reading?.x, ...band };
  });
}

/** A line without a band keeps the extremes of its points. */
function withoutNone({
  low,
  high,
  ...rest
}: ReturnType<typeof lastOf>): Partial<TableLine> & Pick<TableLine, 'value' | 'x'> {
  return low === undefined || high === undefined ? rest : { ...rest, low, high };
}

export type TableSort = 'name' | 'value' | 'low' | 'high';

/** Lines without a value come last in either direction. */
export function sortLines(lines: readonly TableLine[], by: TableSort, descending: boolean): TableLine[] {
  const sign = descending ? -1 : 1;
  const byName = (a: TableLine, b: TableLine): number => compareNames(a.curve.label, b.curve.label);
  if (by === 'name') return [...lines].sort((a, b) => sign * byName(a, b));
  const known = (value: number | undefined): value is number => value !== undefined && !Number.isNaN(value);
  return [...lines].sort((a, b) => {
    const [one, other] = [a[by], b[by]];
    if (known(one) && known(other)) return sign * (one - other) || byName(a, b);
    return Number(known(other)) - Number(known(one)) || byName(a, b);
  });
}
