// What cards of logged values show now: the value that belongs to the pinned step, and how runs are named beside them.
import { view } from '../state/choices.svelte';
import { runs } from '../state/runs.svelte';
import type { LoggedSteps } from './answers';
import { placeAt, placesOnX } from './steps';

/** The pinned place on x; of a range its end, and null for the newest. */
export function pinnedPlace(): number | null {
  return view.pinned === null || typeof view.pinned === 'number' ? view.pinned : view.pinned[1];
}

export function shownPlace(steps: LoggedSteps): number {
  return placeAt(placesOnX(steps, view.x), pinnedPlace());
}

export function nameOfRun(id: string): string {
  const row = runs.rowOfRun.get(id);
  if (row === undefined) return id;
  const role = row.runs.length > 1 ? (row.runs.find((run) => run.id === id)?.role ?? null) : null;
  return role === null ? runs.shortLabel(row) : `${runs.shortLabel(row)} · ${role}`;
}
