// Colours of rows in drawings: by a metric from its lowest to its highest value, or those of the runs.
import { rampOf } from '$web/runs/value-colours';
import type { Theme } from '$web/style/theme';
import type { GridColumn } from './grid';

export interface Ramp {
  low: number;
  high: number;
  colours: string[];
}

/** The ramp of a column over rows; null where it has no number. */
export function rampOver(column: GridColumn, rows: readonly number[], theme: Theme): Ramp | null {
  const numbers = rows
    .map((row) => column.value(row))
    .filter((value) => typeof value === 'number' && Number.isFinite(value));
  const low = (numbers as number[]).reduce((least, one) => Math.min(least, one), Infinity);
  const high = (numbers as number[]).reduce((most, one) => Math.max(most, one), -Infinity);
  return numbers.length === 0 ? null : { low, high, colours: rampOf(theme) };
}

/** Null for a row without the value. */
export function rampColour({ low, high, colours }: Ramp, value: unknown): string | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  const share = high > low ? (value - low) / (high - low) : 0.5;
  return colours[Math.round(share * (colours.length - 1))] ?? null;
}
