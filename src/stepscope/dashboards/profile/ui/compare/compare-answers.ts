// The rows of the Compare part in words.
import { formatDuration, formatShare, formatValue } from '$web/draw/number';
import type { CompareBy, CompareRow, DifferenceRow } from '$api';
import type { Grouping } from '../tables/groupings';
import { perStep } from '../times';

export const COMPARE_GROUPINGS: readonly Grouping<CompareBy>[] = [
  { by: 'op', label: 'Operation' },
  { by: 'module', label: 'Module' },
  { by: 'kernel', label: 'Kernel' },
];

const MINUS = '\u2212';
const FACTOR_FROM = 5;

/** "+12.5 ms", "−3 µs", or "0". */
export function changeText(ms: number): string {
  if (ms === 0) return '0';
  return `${ms > 0 ? '+' : MINUS}${formatDuration(Math.abs(ms) / 1000)}`;
}

/** "+41.9%", and "× 12" for what grew out of nearly nothing. */
export function changeShare(change: number | null): string {
  if (change === null || change === 0) return '';
  if (change >= FACTOR_FROM) return `×\u202f${formatValue(1 + change, change >= 99 ? 3 : 2)}`;
  return `${change > 0 ? '+' : MINUS}${formatShare(Math.abs(change))}`;
}

/** How a row differs, in a few words. */
export function reason(row: CompareRow): string {
  const grew = row.exposed.after_ms > row.exposed.before_ms;
  const words: Record<string, string> = {
    new: 'new',
    gone: 'gone',
    count: row.count_after > row.count_before ? 'runs more often' : 'runs less often',
    time: row.busy.after_ms > row.busy.before_ms ? 'longer per call' : 'shorter per call',
    both: 'count and time per call',
    waited_for: grew ? 'more exposed' : 'less exposed',
    none: 'within noise',
  };
  return words[row.change] ?? row.change;
}

/** "2" or "3 → 67": executions in a typical step. */
export function counts({ count_before: before, count_after: after }: CompareRow): string {
  const [first, second] = [perStep(before), perStep(after)];
  return first === second ? first : `${first} → ${second}`;
}

/** Trouble is what got slower by more than noise. */
export function worse(difference: DifferenceRow): boolean {
  return difference.beyond_noise === true && difference.after_ms > difference.before_ms;
}
