// What is said of a span and of those it is one of.
import type { Instance } from '$api';
import { stepTime } from '../times';
import type { Asked } from './asked';

/** Lengths that read the same are the same. */
const same = (a: number, b: number): boolean => stepTime(a) === stepTime(b);

/** "73.4 ms, 57.7 ms exposed": a span may be longer than what a step shows of it. */
export function lengthText(part: string, span: Pick<Instance, 'duration_us' | 'own_us'>): string {
  const [length, own] = [span.duration_us / 1e3, span.own_us === null ? null : span.own_us / 1e3];
  const whole = stepTime(length);
  if (own === null || same(own, length)) return whole;
  if (own === 0) return `${whole}, hidden by other work`;
  return `${whole}, ${stepTime(own)} ${part === 'input' ? 'of it waiting' : 'exposed'}`;
}

/** What the list is headed with: the row's name, or that of the span which evidence names. */
export function titleOf(asked: Asked, chosen: Pick<Instance, 'name'> | null): string {
  const { name } = asked;
  if (name === undefined || name === '') return chosen?.name ?? '';
  return asked.of === 'copy' ? `${name}, ${asked.memory ?? ''}` : name;
}

/** The time of a span as ranges are written. */
export const rangeOfSpan = ({
  start_us: start,
  duration_us: length,
}: Pick<Instance, 'start_us' | 'duration_us'>): string =>
  rangeOf({ start_ms: start / 1e3, end_ms: (start + length) / 1e3 });

/** A range of time as ranges are written. */
export function rangeOf({ start_ms: start, end_ms: end }: { start_ms: number; end_ms: number }): string {
  return `${written(start)}ms:${written(end)}ms`;
}

const written = (ms: number): string => String(Math.max(0, Math.round(ms * 1e6) / 1e6));
