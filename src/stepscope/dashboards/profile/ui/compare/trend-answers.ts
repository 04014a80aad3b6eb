// The answer about several sessions, as docs/http-api.md describes it, how it is fetched, and where its points stand.
import { formatBytes, formatSI } from '$web/draw/number';
import { untilRead, type Fetch, type Reading, type Session } from '../answers';
import { shareText, stepTime } from '../times';

export interface TrendPoint {
  session: string;
  label: string;
  position: number | null;
  steps: number;
  step_ms: number;
  noise_ms: number | null;
  steps_per_second: number;
  examples_per_second: number | null;
  /** Fractions of a step, in the order of the groups. */
  groups: number[];
  peaks: { memory: string; bytes: number }[];
}

export interface Trend {
  by: string;
  sentence: string;
  points: TrendPoint[];
  growing: { memory: string; op: string; before_bytes: number; after_bytes: number }[];
  choices: string[];
}

export const fetchTrend: Fetch<Trend> = async ({ sessions = '', steps, range = '', by = '' }, signal, progress) => {
  type Answer = { reading: Reading | null; trend: Trend };
  const query = new URLSearchParams({ sessions, steps, range, by });
  return (await untilRead<Answer>(`profile/trend?${query}`, signal, progress)).trend;
};

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
  value: (point: TrendPoint) => number | null;
  text: (value: number) => string;
  noise?: (point: TrendPoint) => number | null;
}

export const MEASURES: readonly Measure[] = [
  { title: 'Step time', value: ({ step_ms }) => step_ms, text: stepTime, noise: ({ noise_ms }) => noise_ms },
  {
    title: 'Examples per second',
    value: ({ examples_per_second }) => examples_per_second,
    text: (value) => formatSI(value),
  },
  { title: 'Steps per second', value: ({ steps_per_second }) => steps_per_second, text: (value) => formatSI(value) },
  { title: 'The device computes', value: ({ groups }) => groups[0] ?? 0, text: shareText },
  { title: 'Memory at the peak', value: ({ peaks }) => peaks[0]?.bytes ?? null, text: formatBytes },
];

/** Of throughput the one that says most, and of memory only what is known. */
export function measuresOf(points: readonly TrendPoint[]): Measure[] {
  const known = MEASURES.filter(({ value }) => points.some((point) => value(point) !== null));
  const examples = known.some(({ title }) => title === 'Examples per second');
  return known.filter(({ title }) => !examples || title !== 'Steps per second');
}

const LOG_FROM = 20;

/** Places between 0 and 1: by position, in equal factors where positions are far apart, else one after the other. */
export function places(points: readonly TrendPoint[]): number[] {
  const positions = points.map(({ position }) => position);
  const numbers = positions.filter((one): one is number => one !== null);
  const even = points.map((_, i) => (points.length > 1 ? i / (points.length - 1) : 0.5));
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  if (numbers.length < points.length || high <= low) return even;
  if (low > 0 && high / low >= LOG_FROM) return numbers.map((one) => Math.log(one / low) / Math.log(high / low));
  return numbers.map((one) => (one - low) / (high - low));
}
