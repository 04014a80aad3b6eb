// Where a key leads: to the step or the idle gap before or after what is shown.
import type { GapRow, TraceStep } from '$api';
import type { Window } from './window';

const middle = ([from, to]: Window): number => (from + to) / 2;

/** The step after or before the one in the middle of the window; null at the ends. */
export function besideStep(steps: readonly TraceStep[], shown: Window, forward: boolean): TraceStep | null {
  const at = middle(shown);
  const here = steps.findIndex(({ start_us: start, end_us: end }) => start <= at && at < end);
  if (here >= 0) return steps[here + (forward ? 1 : -1)] ?? null;
  return (
    (forward ? steps.find(({ start_us: start }) => start > at) : steps.findLast(({ end_us: end }) => end <= at)) ?? null
  );
}

/** The idle gap that begins after the given time, or the last that begins before it; null at the ends. */
export function besideGap(gaps: readonly GapRow[], at: number, forward: boolean): GapRow | null {
  let found: GapRow | null = null;
  for (const gap of gaps) {
    if (forward ? gap.start_us <= at : gap.start_us >= at) continue;
    if (found === null || (forward ? gap.start_us < found.start_us : gap.start_us > found.start_us)) found = gap;
  }
  return found;
}
