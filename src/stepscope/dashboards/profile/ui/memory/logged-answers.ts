// The shapes of the answers about logged memory, as docs/http-api.md describes them, and how they are fetched and marked.
import { getJson, patchJson } from '$web/api/client';

/** Bytes per step or hour, with the bounds of 95 %. */
export interface Slope {
  median: number;
  low: number;
  high: number;
}

export interface TrendEnd {
  step: number;
  time: number;
  bytes: number;
}

/** The line of the median slope since the last restart. */
export interface Trend {
  /** What it runs over: time while steps stay the same. */
  over: 'step' | 'time';
  first: TrendEnd;
  last: TrendEnd;
}

export interface LoggedSeries {
  run: string;
  tag: string;
  name: string;
  unit: string;
  /** By the user, who may change its unit. */
  marked: boolean;
  sentence: string;
  growth: string;
  source: string;
  last_bytes: number;
  last_step: number;
  last_time: number;
  peak_bytes: number;
  peak_step: number;
  peak_time: number;
  capacity_bytes: number | null;
  used: number | null;
  points: number;
  restarts: number;
  restarted: { step: number; time: number }[];
  trend: Trend | null;
  bytes_per_step: Slope | null;
  bytes_per_hour: Slope | null;
  verdict: 'grows' | 'steady' | 'cannot_tell';
  full: { step: number | null; hours: number } | null;
}

export interface LoggedMemories {
  runs: { id: string; name: string; series: number }[];
  run: string | null;
  sentence: string;
  series: LoggedSeries[];
  advice: string;
  units: string[];
}

/** Of one run; of that which logged memory last when it has logged none. */
export const fetchLoggedMemory = (run: string, signal: AbortSignal): Promise<LoggedMemories> =>
  getJson(`profile/memory/logged?${new URLSearchParams({ run })}`, signal);

/** `unit`: empty for what the name tells, null to take the mark away. */
export async function markMemory(run: string, tag: string, unit: string | null): Promise<void> {
  await patchJson('profile/memory/marks', { run, tag, unit });
}

/** One sentence about the run that logged memory last. */
export async function loggedMemorySays(signal: AbortSignal): Promise<string | null> {
  const { sentence, runs, run } = await fetchLoggedMemory('', signal);
  if (sentence === '') return null;
  const name = runs.find(({ id }) => id === run)?.name ?? '';
  return runs.length > 1 ? `${name}: ${sentence}` : sentence;
}
