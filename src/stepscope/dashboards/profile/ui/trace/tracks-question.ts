// What the trace asks first: the tracks of the shown worker, and steps where they are few.
import type { SessionRow } from '$api';
import type { ProfileView } from '$web/state/view';
import type { PartQuestion } from '../answers';
import { workerIn } from '../session/chosen-session';

const MOST_TRACKS = 2000;
/** More would be megabytes, and narrower than a pixel: they are asked for when the first spans are drawn. */
const MOST_STEPS = 2000;

export function tracksQuestion(
  session: Pick<SessionRow, 'id' | 'workers'>,
  { worker, stepsBy }: Pick<ProfileView, 'worker' | 'stepsBy'>,
): PartQuestion<'tracks'> {
  return {
    session: session.id,
    worker: workerIn(session, worker),
    steps: stepsBy,
    range: '',
    limit: MOST_TRACKS,
    most_steps: MOST_STEPS,
  };
}
