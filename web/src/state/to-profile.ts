// Goes to a profile from wherever its run is named.
import { view } from './choices.svelte';
import { defaultView } from './view';

/**
 * `session` is a session's id, or a run's for its newest one. What was looked at of another profile means nothing there.
 * A profile with a step of that number opens at it.
 */
export function toProfile(session: string, step: number | null = null): void {
  view.profile = { ...defaultView().profile, session, step };
  view.tab = 'profile';
}
