// Opens and closes the list of spans beside a view; what is listed is in the address, so that Back closes it.
import { view } from '$web/state/choices.svelte';
import { writeAsked, type Asked } from './asked';

/** Lists the spans; a second click on the same row closes the list. */
export function showSpans(asked: Asked): void {
  const text = writeAsked(asked);
  view.profile = { ...view.profile, spans: view.profile.spans === text ? '' : text, span: null };
}

export const closeSpans = (): void => {
  view.profile = { ...view.profile, spans: '', span: null };
};

export const areShown = (asked: Asked): boolean => view.profile.spans === writeAsked(asked);
