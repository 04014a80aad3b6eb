// What the list of parts without a profile says of throughput.
import type { LoggedEpochs } from '$api';
import { epochsText } from './epoch-layout';
import { fetchLogged, rateText } from './throughput-answers';

/** One sentence on the first run that has logged epochs; null while none has. */
export async function loggedThroughputSays(signal: AbortSignal): Promise<string | null> {
  const { logged, total } = await fetchLogged('', '', signal);
  if (logged === null) return null;
  const more = total > 1 ? ` ${total - 1} more ${total === 2 ? 'run has' : 'runs have'} logged epochs.` : '';
  return `${logged.run_name}: ${loggedText(logged)}${more}`;
}

/** Steps a second and epochs, as far as the run has logged them. */
export function loggedText({ step_seconds: seconds, epochs, epochs_total: total, note }: LoggedEpochs): string {
  const steps = seconds === null ? '' : `${rateText(1 / seconds, '').replace('/s', '')} steps per second. `;
  return steps + (epochs.length > 0 ? epochsText(epochs, total) : note);
}
