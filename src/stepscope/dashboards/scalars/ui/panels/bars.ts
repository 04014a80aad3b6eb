// Runs as bars of one column, the best first.
import type { SortFacts } from '$web/runs/order';
import { compareNames } from '$web/runs/names';
import type { Row } from '$web/runs/rows';
import type { SortKey } from '$web/state/view';
import { valueOf } from './column-values';

export interface Bar {
  row: Row;
  value: number;
  /** Shares of the width: where the bar begins, and how long it is. */
  from: number;
  length: number;
}

/** Bars begin at zero, so that lengths compare; of a lowest value the smallest is first, else the largest. */
export function barsOf(rows: readonly Row[], key: SortKey, facts: SortFacts): Bar[] {
  const found = rows.flatMap((row) => {
    const value = valueOf(row, key, facts);
    return typeof value === 'number' && Number.isFinite(value) ? [{ row, value }] : [];
  });
  const low = Math.min(0, ...found.map(({ value }) => value));
  const high = Math.max(0, ...found.map(({ value }) => value));
  const span = high - low || 1;
  const sign = 'kind' in key && key.kind === 'min' ? 1 : -1;
  return found
    .sort((a, b) => sign * (a.value - b.value) || compareNames(a.row.label, b.row.label))
    .map(({ row, value }) => ({
      row,
      value,
      from: (Math.min(0, value) - low) / span,
      length: Math.abs(value) / span,
    }));
}
