// The levers that are pulled, as the address has them, and what they and their answers are called in words.
import { formatCount, formatFixed, formatValue, rounded } from '$web/draw/number';
import { plural } from '$web/widgets/format';
import type { PredictionRow, WhatIf } from '$api';
import { timeRange } from '../overview/findings';
import { stepTime } from '../times';

/** What is left of a lever's time; of one that moves work, how many workers do it. */
export type Pulled = ReadonlyMap<string, number>;

/** What levers are called; the server may offer more. */
export const LEVER_LABELS: Record<string, string> = {
  input: 'Input',
  python: 'Python',
  straggler: 'Straggler',
  workers: 'Loader workers',
  prefetch: 'Prefetch',
  async_copy: 'Copies during compute',
  checkpoint: 'Checkpoints in a thread',
  kernels: 'Kernels',
  communication: 'Communication',
  copies: 'Copies',
  launches: 'Launches',
  sync: 'Synchronization',
  alloc: 'Allocation',
  op: 'Host operations',
  framework: 'Framework calls',
  compile: 'Compilation',
  gc: 'Garbage collection',
  io: 'Checkpoints and summaries',
};

const LEVER = /^([a-z_]{1,20})=(\d+(?:\.\d+)?)$/;

/** `input=0,workers=4`; what is no lever is left out. */
export function readPulled(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const word of text.split(',')) {
    const match = LEVER.exec(word);
    if (match?.[1] !== undefined && Object.hasOwn(LEVER_LABELS, match[1])) found.set(match[1], Number(match[2]));
  }
  return found;
}

export function writePulled(pulled: Pulled): string {
  return [...pulled].map(([name, amount]) => `${name}=${amount}`).join(',');
}

/** The levers with one of them set; null lets go of it. They stay in the order of `names`. */
export function pull(
  pulled: Pulled,
  name: string,
  amount: number | null,
  names: readonly string[],
): Map<string, number> {
  const now = new Map(pulled);
  if (amount === null) now.delete(name);
  else now.set(name, amount);
  return new Map([...now].sort(([a], [b]) => names.indexOf(a) - names.indexOf(b)));
}

/** What is left of the time, in words: "unchanged", "25% left, 4× as fast", "removed". */
export function leftText(left: number): string {
  if (left >= 1) return 'unchanged';
  if (left <= 0) return 'removed';
  const speed = 1 / left;
  return `${Math.round(100 * left)}% left, ${speed >= 10 ? formatCount(speed) : formatValue(speed, 2)}× as fast`;
}

/** "7–9 ms", or the bound, or why there is no estimate. */
export function answerText({ predicted_ms: { low, high }, refused, kind }: PredictionRow): string {
  if (refused?.startsWith('Not recorded')) return 'not recorded';
  if (refused !== null || low === null || high === null) return 'no estimate';
  return kind === 'at_best' ? `down to ${timeRange([low, high])}` : timeRange([low, high]);
}

const times = (number: number): string => formatValue(number, 3);

/** "1.1 to 1.4 times as fast" */
export function speedText({ baseline_ms: before, predicted_ms: { low, high } }: PredictionRow): string {
  if (low === null || high === null || low <= 0) return '';
  const [least, most] = [times(before / high), times(before / low)];
  return least === most ? `${most} times as fast` : `${least} to ${most} times as fast`;
}

/** The range in percent of today's step: what is left for sure, what may be left, and what is won for sure. */
export function rangeBar(
  { predicted_ms: { low, high } }: Pick<PredictionRow, 'predicted_ms'>,
  baseline: number,
): { left: number; maybe: number } {
  const share = (ms: number): number => Math.min(100, Math.max(0, (100 * ms) / Math.max(1e-9, baseline)));
  const [least, most] = [share(low ?? baseline), share(high ?? baseline)];
  return { left: least, maybe: Math.max(0, most - least) };
}

/** How a range of work that goes came about, in one sentence; why an answer is at best is among its notes. */
export function calibrationText({ band, more, pairs, refused }: PredictionRow): string {
  if (refused !== null || band === null || pairs === null) return '';
  const percent = (part: number): string => `${Math.round(100 * part)}%`;
  const faster = more === null || more === 0 ? '' : ` and for other work to become up to ${percent(more)} faster`;
  const cover = pairs === 1 ? 'the 1 measured pair' : `${pairs >= 10 ? '90% of' : 'all'} ${pairs} measured pairs`;
  return `The range allows for a gain up to ${percent(band)} smaller than modelled${faster}; it covers ${cover}.`;
}

/** "15.2 ms", or "15.2 ms, 10.9 ms without the profiler" where that is known. */
export function stepTimes({ typical_ms: typical, unprofiled_ms: unprofiled }: StepTimesOf): string {
  return unprofiled === null ? stepTime(typical) : `${stepTime(typical)}, ${stepTime(unprofiled)} without the profiler`;
}

type StepTimesOf = Pick<WhatIf, 'typical_ms' | 'unprofiled_ms'>;

/** The step time of the profile and of the run without the profiler, and where that comes from: the user, or the run's logs. */
export function todayText(
  { logged, inflation, ...times }: StepTimesOf & Pick<WhatIf, 'logged' | 'inflation'>,
  said: boolean,
): string {
  const step = `Step time is ${stepTimes(times)}`;
  if (times.unprofiled_ms === null || inflation === null)
    return `${step} in the profile; the overhead of the profiler is unknown.`;
  const more = Math.round(100 * inflation);
  const recorded = more > 0 ? `; the profiler makes steps ${more}% longer` : '; the profiler does not slow steps down';
  if (said || logged === null) return `${step}, as you entered${recorded}.`;
  return `${step}, from ${plural(logged.steps, 'step')} logged as ${logged.tag}${recorded}.`;
}

/** Milliseconds that a user typed, null for what is no time. */
export function readStepMs(text: string): number | null {
  const ms = Number(text);
  return text.trim() !== '' && Number.isFinite(ms) && ms >= 0.001 && ms < 1e9 ? rounded(ms, 6) : null;
}

/** How well the recording can be replayed. */
export function replayText(found: { replay_ms: number | null; replay_error: number | null; serial: boolean }): string {
  if (found.serial) return 'Without a device there is no replay: estimates use a serial model of the host.';
  if (found.replay_ms === null || found.replay_error === null) return '';
  const small = Math.abs(found.replay_error) < 0.0005;
  const error = small
    ? `within 0.1%`
    : `${found.replay_error < 0 ? '' : '+'}${formatFixed(100 * found.replay_error, 1)}%`;
  return `A replay without changes gives ${stepTime(found.replay_ms)} (error ${error}).`;
}
