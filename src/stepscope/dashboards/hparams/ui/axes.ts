// Axes over columns of the table: numbers on a linear, logarithmic or quantile scale, words beside each other, and what has no value.
import { makeScale } from '$web/draw/scale';
import { labelledTicks } from '$web/draw/ticks';
import { triedByFactors } from '$web/runs/factors';
import type { Known } from '$web/runs/fields';
import { compareNames } from '$web/runs/names';
import { value as written } from '$web/widgets/format';
import { textOf, type GridColumn } from './grid';
import type { AxisScale, Filter } from './hparams-view';

export interface TrialAxis {
  column: GridColumn;
  /** Null for words. */
  scale: AxisScale | null;
  /** Pixels of a row's value; NaN where it has none or has no place on this scale. */
  places: Float64Array;
  ticks: { at: number; label: string }[];
}

const MOST_TICKS = 6;
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

/** The scale that a column has unless the user chooses; null for words. */
export function usualScale(values: readonly Known[], kind: GridColumn['kind'], name = ''): AxisScale | null {
  const known = values.filter((value) => value !== undefined);
  const numbers = known.filter((value) => typeof value === 'number').filter(Number.isFinite);
  if (known.some((value) => typeof value === 'string')) return null;
  const low = numbers.reduce((least, one) => Math.min(least, one), Infinity);
  const high = numbers.reduce((most, one) => Math.max(most, one), -Infinity);
  return kind === 'hparam' && triedByFactors(name, low, high) ? 'log' : 'linear';
}

/** `rows` are all rows that may be drawn: the axis does not move while filters change. */
export function axisOf(
  column: GridColumn,
  rows: readonly number[],
  count: number,
  chosen: AxisScale | undefined,
  range: readonly [number, number],
): TrialAxis {
  const values = rows.map((row) => column.value(row));
  const usual = usualScale(values, column.kind, column.key.slice(2));
  const scale = usual === null ? null : (chosen ?? usual);
  const places = new Float64Array(count).fill(NaN);
  const put = (place: (value: Known) => number): void => {
    rows.forEach((row, i) => (places[row] = place(values[i])));
  };
  if (scale === null) {
    const words = [...new Set(values.filter((value) => value !== undefined).map(textOf))].sort(compareNames);
    const at = new Map(words.map((word, i) => [word, range[0] + ((i + 0.5) / words.length) * (range[1] - range[0])]));
    put((value) => (value === undefined ? NaN : (at.get(textOf(value)) ?? NaN)));
    const stride = Math.ceil(words.length / 12);
    const ticks = words.filter((_, i) => i % stride === 0).map((word) => ({ at: at.get(word) ?? NaN, label: word }));
    return { column, scale, places, ticks };
  }
  const numbers = Float64Array.from(
    values.filter((one) => typeof one === 'number' && Number.isFinite(one)) as number[],
  );
  if (scale === 'quantile') {
    const sorted = Float64Array.from(new Set(numbers)).sort();
    const share = new Map(Array.from(sorted, (one, i) => [one, sorted.length < 2 ? 0.5 : i / (sorted.length - 1)]));
    const at = (part: number): number => range[0] + part * (range[1] - range[0]);
    put((value) => (typeof value === 'number' ? at(share.get(value) ?? NaN) : NaN));
    const marks = new Map(
      QUARTERS.flatMap((part) => {
        const one = sorted[Math.round(part * (sorted.length - 1))];
        return one === undefined ? [] : [[one, { at: at(share.get(one) ?? NaN), label: written(one) }] as const];
      }),
    );
    return { column, scale, places, ticks: [...marks.values()] };
  }
  const drawn = scale === 'log' ? numbers.filter((one) => one > 0) : numbers;
  const low = drawn.reduce((least, one) => Math.min(least, one), Infinity);
  const high = drawn.reduce((most, one) => Math.max(most, one), -Infinity);
  if (drawn.length === 0) return { column, scale, places, ticks: [] };
  const map = makeScale(scale, [low, high], [range[0], range[1]]);
  put((value) =>
    typeof value === 'number' && Number.isFinite(value) && (scale !== 'log' || value > 0) ? map.map(value) : NaN,
  );
  return {
    column,
    scale,
    places,
    ticks: labelledTicks(map, MOST_TICKS).map(({ value, label }) => ({ at: map.map(value), label })),
  };
}

/** The filter of what lies between two pixels of an axis; null when nothing does. */
export function brushed(axis: TrialAxis, rows: readonly number[], from: number, to: number): Filter | null {
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  const inside = rows.filter((row) => (axis.places[row] ?? NaN) >= low && (axis.places[row] ?? NaN) <= high);
  if (inside.length === 0) return null;
  const values = inside.map((row) => axis.column.value(row));
  const { key } = axis.column;
  if (axis.scale === null) return { key, kind: 'values', values: [...new Set(values.map(textOf))] };
  const numbers = values.filter((value) => typeof value === 'number');
  return {
    key,
    kind: 'interval',
    low: numbers.reduce((least, one) => Math.min(least, one), Infinity),
    high: numbers.reduce((most, one) => Math.max(most, one), -Infinity),
  };
}

/** Where a line through axes is at x, in pixels; NaN where it is broken. */
export function heightAt(axes: readonly TrialAxis[], xs: readonly number[], row: number, x: number): number {
  const right = xs.findIndex((one) => one >= x);
  if (right <= 0) return axes[right < 0 ? axes.length - 1 : 0]?.places[row] ?? NaN;
  const [a, b] = [axes[right - 1]?.places[row] ?? NaN, axes[right]?.places[row] ?? NaN];
  const [from, to] = [xs[right - 1] ?? 0, xs[right] ?? 1];
  return a + ((b - a) * (x - from)) / (to - from);
}
