// The spans behind a line of evidence: what is said of their times.
import type { EvidenceFound, SpanPlace } from '$api';
import { stepTime } from '../times';

/** Lengths that read the same are the same. */
const same = (a: number, b: number): boolean => stepTime(a) === stepTime(b);

/** "73.4 ms, 57.7 ms exposed": a span may be longer than what a step shows of it. */
export function lengthText({ part, span }: EvidenceFound): string {
  const [length, own] = [span.duration_us / 1e3, span.own_us === null ? null : span.own_us / 1e3];
  const whole = stepTime(length);
  if (own === null || same(own, length)) return whole;
  if (own === 0) return `${whole}, hidden by other work`;
  return `${whole}, ${stepTime(own)} ${part === 'input' ? 'of it waiting' : 'exposed'}`;
}

/** What all spans of the name have together, where there are several. */
export function alikeText({ alike_total: count, own_us_per_step: own }: EvidenceFound): string {
  if (count < 2) return '';
  return `${count} spans with this name, ${stepTime(own / 1e3)} exposed per typical step. Most exposed:`;
}

/** The range of time that a piece of evidence covers, as ranges are written. */
export function rangeOf({ start_ms: start, end_ms: end }: Pick<SpanPlace, 'start_ms' | 'end_ms'>): string {
  return `${written(start)}ms:${written(end)}ms`;
}

const written = (ms: number): string => String(Math.max(0, Math.round(ms * 1e6) / 1e6));
