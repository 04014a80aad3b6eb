// Two profiles beside each other from a step of each on: which steps start together, and how much longer those of the second are.
import type { TraceStep } from '$api';

/** The step to begin with: the one of that number, else the first typical one, else the first. */
export function stepAt(steps: readonly TraceStep[], number: number | null): TraceStep | null {
  return steps.find(({ step }) => step === number) ?? steps.find(({ typical }) => typical) ?? steps[0] ?? null;
}

/** Where the two profiles begin on an axis on which the chosen steps start together, and none begins before 0. */
export function startsOf(one: TraceStep | null, other: TraceStep | null): [one: number, other: number] {
  const [a, b] = [one?.start_us ?? 0, other?.start_us ?? 0];
  return [Math.max(0, b - a), Math.max(0, a - b)];
}

/** By how much steps of the second profile are longer than those of the first, counted from the chosen ones; by the number of the step. */
export function stepDifferences(
  steps: readonly TraceStep[],
  at: TraceStep | null,
  others: readonly TraceStep[],
  otherAt: TraceStep | null,
): Map<number, number> {
  const found = new Map<number, number>();
  const [first, second] = [at === null ? -1 : steps.indexOf(at), otherAt === null ? -1 : others.indexOf(otherAt)];
  if (first < 0 || second < 0) return found;
  others.forEach((other, place) => {
    const twin = steps[place - second + first];
    if (twin !== undefined) found.set(other.step, other.end_us - other.start_us - (twin.end_us - twin.start_us));
  });
  return found;
}
