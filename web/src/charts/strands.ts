// The unbroken pieces of a curve: one per segment of its run, each in x order, found once per curve.
import type { Curve } from './types';

export interface Strand {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly segment: number;
  /** Where in the curve's own arrays each point is; null when they are the same arrays. */
  readonly origin: Int32Array | null;
}

interface Columns {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly segment: Int32Array;
}

function split({ x, y, segment }: Columns): Strand[] {
  const members = new Map<number, number[]>();
  const count = Math.min(x.length, y.length);
  let several = false;
  for (let i = 1; i < count && !several; i += 1) several = segment[i] !== segment[0];
  if (!several) return count === 0 ? [] : [{ x, y, segment: segment[0] ?? 0, origin: null }];
  for (let i = 0; i < count; i += 1) {
    const found = members.get(segment[i]);
    if (found) found.push(i);
    else members.set(segment[i], [i]);
  }
  return [...members].map(([id, indices]) => ({
    x: Float64Array.from(indices, (i) => x[i]),
    y: Float64Array.from(indices, (i) => y[i]),
    segment: id,
    origin: Int32Array.from(indices),
  }));
}

const rawStrands = new WeakMap<Curve, Strand[]>();
const smoothStrands = new WeakMap<Curve, Strand[]>();

function remembered(store: WeakMap<Curve, Strand[]>, curve: Curve, columns: Columns): Strand[] {
  let found = store.get(curve);
  if (!found) {
    found = split(columns);
    store.set(curve, found);
  }
  return found;
}

/** Pieces of the points as logged. */
export const rawOf = (curve: Curve): Strand[] => remembered(rawStrands, curve, curve);

/** Pieces of the line that is drawn bright: smoothed when there is smoothing. */
export const brightOf = (curve: Curve): Strand[] =>
  curve.smooth ? remembered(smoothStrands, curve, curve.smooth) : rawOf(curve);
