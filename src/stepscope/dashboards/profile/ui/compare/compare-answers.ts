// The answer of the Compare part, as docs/http-api.md describes it, how it is fetched, and its words.
import { formatDuration, formatShare } from '$web/draw/number';
import type { TimeGroup } from '$web/style/theme';
import { queryOf, untilRead, type Fetch, type Reading } from '../answers';
import type { Grouping } from '../tables/groupings';

export interface Difference {
  before_ms: number;
  after_ms: number;
  /** As a fraction of before. */
  change: number | null;
  /** What the difference may be by chance; null with too few steps to tell. */
  noise_ms: number | null;
  beyond_noise: boolean | null;
}

export interface CompareRow {
  name: string;
  kind: string;
  on_device: boolean;
  change: 'new' | 'gone' | 'count' | 'time' | 'both' | 'waited_for' | 'none';
  exposed: Difference;
  busy: Difference;
  count_before: number;
  count_after: number;
}

export interface Comparison {
  sentence: string;
  slower: boolean | null;
  steps_before: number;
  steps_after: number;
  range_before: string | null;
  range_after: string | null;
  step: Difference;
  groups: { group: TimeGroup; difference: Difference }[];
  rows: CompareRow[];
  total: number;
  /** Why only the groups compare. */
  refused: string | null;
  peaks: { memory: string; before_bytes: number | null; after_bytes: number | null }[];
  settings: { setting: string; before: string; after: string }[];
}

export const COMPARE_GROUPINGS: readonly Grouping[] = [
  { by: 'op', label: 'Operation' },
  { by: 'module', label: 'Module' },
  { by: 'kernel', label: 'Kernel' },
];

export const fetchComparison: Fetch<Comparison> = async (question, signal, progress) => {
  type Answer = { reading: Reading | null; comparison: Comparison };
  const { against = '', againstRange = '', by = 'op' } = question;
  const query = queryOf(question, { against, by, ...(againstRange === '' ? {} : { against_range: againstRange }) });
  return (await untilRead<Answer>(`profile/compare?${query}`, signal, progress)).comparison;
};

const MINUS = '\u2212';
const FACTOR_FROM = 5;

/** "+12.5 ms", "−3 µs", or "0". */
export function changeText(ms: number): string {
  if (ms === 0) return '0';
  return `${ms > 0 ? '+' : MINUS}${formatDuration(Math.abs(ms) / 1000)}`;
}

/** "+41.9 %", and "× 12" for what grew out of nearly nothing. */
export function changeShare(change: number | null): string {
  if (change === null || change === 0) return '';
  if (change >= FACTOR_FROM) return `×\u202f${(1 + change).toPrecision(change >= 99 ? 3 : 2).replace(/\.0$/, '')}`;
  return `${change > 0 ? '+' : MINUS}${formatShare(Math.abs(change))}`;
}

/** How a row differs, in a few words. */
export function reason(row: CompareRow): string {
  const grew = row.exposed.after_ms > row.exposed.before_ms;
  return {
    new: 'new',
    gone: 'gone',
    count: row.count_after > row.count_before ? 'runs more often' : 'runs less often',
    time: row.busy.after_ms > row.busy.before_ms ? 'longer each' : 'shorter each',
    both: 'other count and length',
    waited_for: grew ? 'less hidden' : 'better hidden',
    none: 'within noise',
  }[row.change];
}

/** "2" or "3 → 67": executions in a typical step. */
export function counts({ count_before: before, count_after: after }: CompareRow): string {
  const text = (value: number): string => String(Number(value.toPrecision(4)));
  return text(before) === text(after) ? text(before) : `${text(before)} → ${text(after)}`;
}

/** Trouble is what got slower by more than noise. */
export function worse(difference: Difference): boolean {
  return difference.beyond_noise === true && difference.after_ms > difference.before_ms;
}
