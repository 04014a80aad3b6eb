// Orders and labels the rows of the inspector's table.
import { toNumber, type TableRow } from '../api/types';

export interface ValueRow {
  run: string;
  value: number | null;
  smoothed: number | null;
  step: number | null;
  min: number | null;
  max: number | null;
  mean: number | null;
  change: number | null;
  changeFraction: number | null;
}

/** Highest first; rows without a value are left out. */
export function valueRows(rows: readonly TableRow[], ranged: boolean): ValueRow[] {
  return rows
    .filter((row) => row.count > 0)
    .map((row) => ({
      run: row.run,
      value: toNumber(ranged ? row.last : row.value),
      smoothed: toNumber(row.smoothed),
      step: row.step,
      min: toNumber(row.min),
      max: toNumber(row.max),
      mean: toNumber(row.mean),
      change: toNumber(row.change),
      changeFraction: toNumber(row.change_fraction),
    }))
    .sort(byValue);
}

export function byValue(a: { value: number | null }, b: { value: number | null }): number {
  return rank(b.value) - rank(a.value);
}

/** NaN and missing values come after every number. */
function rank(value: number | null): number {
  return value === null || Number.isNaN(value)
    ? -Number.MAX_VALUE
    : Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}
