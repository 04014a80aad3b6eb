// What cards of logged values show now: the value that belongs to the pinned step, and how runs are named beside them.
import { view } from '../state/choices.svelte';
import { runs } from '../state/runs.svelte';
import type { LoggedSteps } from './answers';
import { count } from '../widgets/format';
import { otherStep, placeAt, placesOnX } from './steps';

/** The pinned place on x; of a range its end, and null for the newest. */
export function pinnedPlace(): number | null {
  return view.pinned === null || typeof view.pinned === 'number' ? view.pinned : view.pinned[1];
}

export function shownPlace(steps: LoggedSteps): number {
  return placeAt(placesOnX(steps, view.x), pinnedPlace());
}

/** What is to be said of a value that is not of the pinned step; null where it is, and among times, which values never share. */
export function notOfPinned(step: number): { wanted: string; sentence: string } | null {
  return view.pinned === null || view.x !== 'step' ? null : otherStep(step, view.pinned, count);
}

/** Names one value to screen readers: its tag, run, step, and which of the samples it is. */
export function valueName(tag: string, run: string, steps: LoggedSteps | undefined, place: number, sample = 0): string {
  const step = steps?.step[place];
  const words = [tag, nameOfRun(run), `step ${step ?? ''}`];
  if (steps !== undefined && steps.samples > 1) words.push(`sample ${sample + 1} of ${steps.samples}`);
  const other = step === undefined ? null : notOfPinned(step);
  return other === null ? words.join(', ') : `${words.join(', ')}. ${other.sentence}`;
}

export function nameOfRun(id: string): string {
  const row = runs.rowOfRun.get(id);
  if (row === undefined) return id;
  const role = row.runs.length > 1 ? (row.runs.find((run) => run.id === id)?.role ?? null) : null;
  return role === null ? runs.shortLabel(row) : `${runs.shortLabel(row)} · ${role}`;
}
