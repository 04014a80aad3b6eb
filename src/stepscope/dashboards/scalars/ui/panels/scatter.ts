// Places runs on two axes: numbers on a scale, words beside each other.
import { makeScale, type Interval, type Scale, type ScaleKind } from '$web/draw/scale';
import { labelledTicks } from '$web/draw/ticks';
import type { SortFacts } from '$web/runs/order';
import { compareNames } from '$web/runs/names';
import type { Row } from '$web/runs/rows';
import type { SortKey } from '$web/state/view';
import { isDrawn, valueOf } from './column-values';

export interface Dot {
  row: Row;
  x: number | string;
  y: number | string;
}

/** Runs that have both values. */
export function dotsOf(rows: readonly Row[], x: SortKey, y: SortKey, facts: SortFacts): Dot[] {
  return rows.flatMap((row) => {
    const [left, right] = [valueOf(row, x, facts), valueOf(row, y, facts)];
    return isDrawn(left) && isDrawn(right) ? [{ row, x: left, y: right }] : [];
  });
}

export interface Axis {
  /** Pixels of a value. */
  place: (value: number | string) => number;
  ticks: { at: number; label: string }[];
  /** Whether equal distances are equal factors. */
  log: boolean;
}

/** Settings such as the learning rate are tried by factors: over two decades they are read on a logarithmic axis. */
const DECADES = 100;
const PAD = 0.06;
/** Room of a word on an axis, at 12 px. */
const WORD_PX = 60;

function kindOf(key: SortKey, numbers: readonly number[], log: boolean): ScaleKind {
  if ('column' in key && key.column === 'duration') return 'duration';
  if ('column' in key && key.column === 'newest') return 'wall';
  const low = Math.min(...numbers);
  const tried = 'setting' in key && Math.max(...numbers) >= DECADES * low;
  return low > 0 && (log || tried) ? 'log' : 'linear';
}

/** Dots do not lie on the edge. */
function padded(kind: ScaleKind, numbers: readonly number[]): Interval {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  if (kind === 'log') {
    const factor = Math.max(1.2, (high / low) ** PAD);
    return [low / factor, high * factor];
  }
  const pad = high > low ? (high - low) * PAD : Math.abs(high) * PAD || 1;
  return [low - pad, high + pad];
}

/** An axis of words as soon as one value is a word; `log` asks for a logarithmic one where that is possible. */
export function axisOf(key: SortKey, values: readonly (number | string)[], range: Interval, log: boolean): Axis {
  const numbers = values.filter((value) => typeof value === 'number');
  const room = Math.abs(range[1] - range[0]);
  if (numbers.length < values.length || values.length === 0) return wordAxis(values.map(String), range, room);
  const kind = kindOf(key, numbers, log);
  const scale: Scale = makeScale(kind, padded(kind, numbers), range);
  // Numbers need less room above each other than beside each other.
  const apart = range[1] < range[0] ? 36 : 60;
  const ticks = labelledTicks(scale, Math.max(2, Math.min(6, Math.floor(room / apart))));
  return {
    place: (value) => scale.map(Number(value)),
    ticks: ticks.map(({ value, label }) => ({ at: scale.map(value), label })),
    log: kind === 'log',
  };
}

function wordAxis(values: readonly string[], [from, to]: Interval, room: number): Axis {
  const words = [...new Set(values)].sort(compareNames);
  const at = new Map(words.map((word, i) => [word, from + ((i + 0.5) / words.length) * (to - from)]));
  const upright = to < from;
  const stride = Math.ceil((words.length * (upright ? 16 : WORD_PX)) / Math.max(1, room));
  return {
    place: (value) => at.get(String(value)) ?? Number.NaN,
    ticks: words.filter((_, i) => i % stride === 0).map((word) => ({ at: at.get(word) ?? Number.NaN, label: word })),
    log: false,
  };
}

/** The dot nearest to a point, within a reach in pixels. */
export function nearestDot(
  places: readonly { x: number; y: number }[],
  point: { x: number; y: number },
  reach: number,
): number | null {
  let best: number | null = null;
  let least = reach;
  places.forEach((place, i) => {
    const distance = Math.hypot(place.x - point.x, place.y - point.y);
    if (distance <= least) [best, least] = [i, distance];
  });
  return best;
}
