// The points of the Trend part, and where they stand.
import { formatBytes, formatSI } from '$web/draw/number';
import type { Trend, TrendPointRow, TrendRequest } from '$api';
import { addressOf } from '$web/api/routes';
import { untilRead, type Fetch, type Session } from '../answers';
import { shareText, stepTime } from '../times';

export type TrendQuestion = TrendRequest;

export const fetchTrend: Fetch<Trend, TrendQuestion> = (question, signal, progress) =>
  untilRead(addressOf('profile/trend', question), signal, progress);

export const MOST_SESSIONS = 40;

/** The sessions to draw: those that the address names, else all of the chosen one's run, newest last. */
export function drawn(all: readonly Session[], chosen: Session, named: string): string[] {
  const ids = new Set(named.split(',').filter(Boolean));
  const timed = all.filter(({ has_steps }) => has_steps);
  const found = ids.size > 0 ? timed.filter(({ id }) => ids.has(id)) : timed.filter(({ run }) => run === chosen.run);
  return found
    .map(({ id }) => id)
    .reverse()
    .slice(-MOST_SESSIONS);
}

export interface Measure {
  title: string;
  value: (point: TrendPointRow) => number | null;
  text: (value: number) => string;
  noise?: (point: TrendPointRow) => number | null;
}

export const MEASURES: readonly Measure[] = [
  { title: 'Step time', value: ({ step_ms }) => step_ms, text: stepTime, noise: ({ noise_ms }) => noise_ms },
  {
    title: 'Examples per second',
    value: ({ examples_per_second }) => examples_per_second,
    text: (value) => formatSI(value),
  },
  { title: 'Steps per second', value: ({ steps_per_second }) => steps_per_second, text: (value) => formatSI(value) },
  { title: 'Compute share', value: ({ breakdown }) => breakdown['compute'] ?? 0, text: shareText },
  { title: 'Peak memory', value: ({ peaks }) => peaks[0]?.bytes ?? null, text: formatBytes },
];

/** Of throughput the one that says most, and of memory only what is known. */
export function measuresOf(points: readonly TrendPointRow[]): Measure[] {
  const known = MEASURES.filter(({ value }) => points.some((point) => value(point) !== null));
  const examples = known.some(({ title }) => title === 'Examples per second');
  return known.filter(({ title }) => !examples || title !== 'Steps per second');
}

const LOG_FROM = 20;

/** Places between 0 and 1: by position, in equal factors where positions are far apart, else one after the other. */
export function places(points: readonly TrendPointRow[]): number[] {
  const positions = points.map(({ position }) => position);
  const numbers = positions.filter((one): one is number => one !== null);
  const even = points.map((_, i) => (points.length > 1 ? i / (points.length - 1) : 0.5));
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  if (numbers.length < points.length || high <= low) return even;
  if (low > 0 && high / low >= LOG_FROM) return numbers.map((one) => Math.log(one / low) / Math.log(high / low));
  return numbers.map((one) => (one - low) / (high - low));
}
