// The spans behind a line of evidence: how they are asked for, and what is said of their times.
import { queryOf, untilRead, type Fetch, type Question, type Reading, type SpanPlace } from '../answers';
import { stepTime } from '../times';

export interface EvidenceSpan {
  row: number;
  name: string;
  track: string;
  process: string;
  start_us: number;
  duration_us: number;
  /** What nothing else hides; null in a step that is not typical. */
  own_us: number | null;
  step: number | null;
  /** What is around it, the innermost first. */
  stack: string[];
}

export interface EvidenceFound {
  part: string;
  span: EvidenceSpan;
  /** The longest other spans of its name with time of the same part. */
  alike: EvidenceSpan[];
  alike_total: number;
  own_us_per_step: number;
}

export const fetchEvidence =
  (row: number): Fetch<EvidenceFound> =>
  async (question: Question, signal, progress) => {
    const query = queryOf(question, { worker: question.worker ?? '' });
    type Answer = { reading: Reading | null; evidence: EvidenceFound };
    return (await untilRead<Answer>(`profile/evidence/${row}?${query}`, signal, progress)).evidence;
  };

/** Lengths that read the same are the same. */
const same = (a: number, b: number): boolean => stepTime(a) === stepTime(b);

/** "73.4 ms, of which 57.7 ms are waited for": a span may be longer than what a step shows of it. */
export function lengthText({ part, span }: EvidenceFound): string {
  const [length, own] = [span.duration_us / 1e3, span.own_us === null ? null : span.own_us / 1e3];
  const whole = stepTime(length);
  if (own === null || same(own, length)) return whole;
  if (own === 0) return `${whole}, all of it beside other work`;
  return `${whole}, of which ${stepTime(own)} ${part === 'input' ? 'are waited for' : 'are hidden by nothing else'}`;
}

/** What all spans of the name have together, where there are several. */
export function alikeText({ alike_total: count, own_us_per_step: own }: EvidenceFound): string {
  if (count < 2) return '';
  return `${count} spans of this name have ${stepTime(own / 1e3)} of a typical step. The longest:`;
}

/** The range of time that a piece of evidence covers, as ranges are written. */
export function rangeOf({ start_ms: start, end_ms: end }: Pick<SpanPlace, 'start_ms' | 'end_ms'>): string {
  return `${written(start)}ms:${written(end)}ms`;
}

const written = (ms: number): string => String(Math.max(0, Math.round(ms * 1e6) / 1e6));
