// The bar of an estimate with its interval, in percent of the width of its column.
import type { IntervalRow } from '$api';

export interface Bar {
  /** The bar itself, from zero to the estimate. */
  from: number;
  to: number;
  /** The line of the interval. */
  start: number;
  end: number;
  zero: number;
}

/** `low` and `high` are the ends of the column; what lies beyond ends there. */
export function barOf({ value, low: least, high: most }: IntervalRow, low: number, high: number): Bar {
  const at = (one: number): number => (100 * (Math.min(high, Math.max(low, one)) - low)) / (high - low);
  const zero = at(0);
  return { from: Math.min(zero, at(value)), to: Math.max(zero, at(value)), start: at(least), end: at(most), zero };
}

/** Whether the interval leaves no doubt about the sign. */
export function isSure({ low, high }: IntervalRow): boolean {
  return low > 0 || high < 0;
}
