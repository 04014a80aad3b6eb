// What this tab asks for as soon as the address names it, while its code is still loading: the sessions, and the first of the trace.
import { askAhead } from '$web/api/client';
import { addressOf } from '$web/api/routes';
import type { View } from '$web/state/view';
import { sessionOf } from './session/chosen-session';
import { tracksQuestion } from './trace/tracks-question';

export default async function ahead({ profile }: Pick<View, 'profile'>): Promise<void> {
  const isTrace = profile.show === 'trace' && profile.stack === '';
  const asked = askAhead(addressOf('profile/sessions', {}));
  if (isTrace) void import('./trace/TraceView.svelte');
  const { sessions } = await asked;
  const session = sessionOf(sessions, profile.session);
  if (isTrace && session !== undefined)
    await askAhead(addressOf('profile/{session}/tracks', tracksQuestion(session, profile)));
}
