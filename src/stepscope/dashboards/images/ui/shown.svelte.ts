// What images show now: the value that belongs to the pinned step, and how runs are named beside them.
import { view } from '$web/state/choices.svelte';
import { runs } from '$web/state/runs.svelte';
import type { ImageSteps } from './answers';
import { placeAt, placesOnX } from './steps';

/** The pinned place on x; of a range its end, and null for the newest. */
export function pinnedPlace(): number | null {
  return view.pinned === null || typeof view.pinned === 'number' ? view.pinned : view.pinned[1];
}

export function shownPlace(steps: ImageSteps): number {
  return placeAt(placesOnX(steps, view.x), pinnedPlace());
}

export function nameOfRun(id: string): string {
  const row = runs.rowOfRun.get(id);
  if (row === undefined) return id;
  const role = row.runs.length > 1 ? (row.runs.find((run) => run.id === id)?.role ?? null) : null;
  return role === null ? runs.shortLabel(row) : `${runs.shortLabel(row)} · ${role}`;
}
