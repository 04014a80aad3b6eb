// The one step that is looked at: with a server the range of the whole tab is that step, in a saved file the bar alone shows it.
import { view } from '$web/state/choices.svelte';
import type { ServerActions } from './server-actions';

/** One step as ranges are written. */
export const stepRange = (step: number): string => `${step}:${step + 1}`;

/** The step that a range is; null when it is none or several. */
export function stepOfRange(range: string): number | null {
  const [, first, end] = /^(\d{1,15}):(\d{1,15})$/.exec(range) ?? [];
  return first !== undefined && Number(end) === Number(first) + 1 ? Number(first) : null;
}

export const chosenStep = (server: ServerActions | undefined): number | null =>
  server === undefined ? view.profile.step : stepOfRange(view.profile.range);

export function chooseStep(server: ServerActions | undefined, step: number | null): void {
  if (server === undefined) view.profile.step = step;
  else server.chooseRange(step === null ? '' : stepRange(step));
}
