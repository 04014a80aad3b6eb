// Which images, sounds, texts and other values were logged nearest to a step.
import type { RunMark } from '$api';
import type { SeriesRef } from '../api/types';
import type { LoggedSteps, MediaName } from '../media/answers';

export interface NearValue {
  media: MediaName;
  tag: string;
  /** The step it was logged at. */
  step: number;
}

/** The step of a list in ascending order that is nearest to another; of two equally near ones the earlier. */
export function nearestStep(steps: ArrayLike<number>, wanted: number): number | null {
  let best: number | null = null;
  for (let place = 0; place < steps.length; place++) {
    const step = steps[place] ?? NaN;
    if (best === null || Math.abs(step - wanted) < Math.abs(best - wanted)) best = step;
  }
  return best;
}

/** For each tag the value of any run that is nearest; nearest tags first. */
export function nearValues(
  media: MediaName,
  found: readonly { series: SeriesRef; steps: Pick<LoggedSteps, 'step'> }[],
  wanted: number,
): NearValue[] {
  const byTag = new Map<string, number>();
  for (const { series, steps } of found) {
    const step = nearestStep(steps.step, wanted);
    const known = byTag.get(series.tag);
    if (step !== null && (known === undefined || Math.abs(step - wanted) < Math.abs(known - wanted)))
      byTag.set(series.tag, step);
  }
  return [...byTag]
    .map(([tag, step]) => ({ media, tag, step }))
    .sort((a, b) => Math.abs(a.step - wanted) - Math.abs(b.step - wanted) || a.tag.localeCompare(b.tag));
}

export interface NearProfile {
  session: string;
  name: string;
  step: number;
  /** Whether the step was recorded, and not found by the time of the profile. */
  exact: boolean;
}

const MOST_PROFILES = 3;

/** The profiles that were captured nearest to a step, each once. */
export function nearProfiles(marks: readonly RunMark[], wanted: number): NearProfile[] {
  const found = new Map<string, NearProfile>();
  for (const { kind, session, label, step, exact } of marks) {
    if (kind !== 'profile' || session === null) continue;
    const known = found.get(session);
    if (known === undefined || Math.abs(step - wanted) < Math.abs(known.step - wanted))
      found.set(session, { session, name: label, step, exact });
  }
  return [...found.values()]
    .sort((a, b) => Math.abs(a.step - wanted) - Math.abs(b.step - wanted) || a.name.localeCompare(b.name))
    .slice(0, MOST_PROFILES);
}
