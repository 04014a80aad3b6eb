// Where a counter's course lies in its small chart: the band of what it had, the line of what it had last, and the value at a moment.
import type { CounterCourse, CounterRow, CounterStep } from '$api';
import { pointAt } from '../memory/memory-layout';

export interface Box {
  /** Milliseconds at the left and the right edge. */
  from: number;
  to: number;
  width: number;
  height: number;
}

/** Charts begin at zero, or below where a counter does. */
export function valueRange({ least, most }: Pick<CounterRow, 'least' | 'most'>): [number, number] {
  const low = Math.min(0, least);
  const high = Math.max(0, most);
  return high > low ? [low, high] : [low, low + 1];
}

const NO_COURSE: CounterCourse = { ms: [], low: [], high: [], ends: [] };

const round = (pixels: number): number => Math.round(pixels * 10) / 10;

export function xOf({ from, to, width }: Box, ms: number): number {
  return round(((ms - from) / Math.max(1e-9, to - from)) * width);
}

function yOf({ height }: Box, [low, high]: readonly [number, number], value: number): number {
  return round(1 + (1 - (value - low) / (high - low)) * (height - 2));
}

/** The outline of everything between the least and the most, and the line of the last value, as paths. */
export function coursePaths(row: CounterRow, box: Box): { band: string; line: string } {
  const range = valueRange(row);
  let band = '';
  let line = '';
  const { ms: starts, low, high, ends } = row.course ?? NO_COURSE;
  starts.forEach((ms, place) => {
    const left = xOf(box, ms);
    const right = xOf(box, starts[place + 1] ?? box.to);
    const [top, bottom] = [yOf(box, range, high[place] ?? 0), yOf(box, range, low[place] ?? 0)];
    if (bottom > top) band += `M${left} ${top}H${right}V${bottom}H${left}Z`;
    line += `${place === 0 ? 'M' : 'L'}${left} ${yOf(box, range, ends[place] ?? 0)}H${right}`;
  });
  return { band, line };
}

/** What a counter had at a moment; null before its first sample. */
export function valueAt({ course }: CounterRow, ms: number): number | null {
  const first = course?.ms[0];
  return course === null || first === undefined || ms < first ? null : (course.ends[pointAt(course.ms, ms)] ?? null);
}

/** The step that a moment lies in. */
export function stepOf(steps: readonly CounterStep[], ms: number): number | null {
  return steps.find(({ start_ms: start, end_ms: end }) => start <= ms && ms < end)?.step ?? null;
}
