// How logged memory is fetched and marked.
import { getJson, patchJson } from '$web/api/client';
import { addressOf } from '$web/api/routes';
import type { LoggedMemoryAnswer } from '$api';

/** Of one run; of that which logged memory last when it has logged none. */
export const fetchLoggedMemory = (run: string, signal: AbortSignal): Promise<LoggedMemoryAnswer> =>
  getJson(addressOf('profile/memory/logged', { run }), signal);

/** `unit`: empty for what the name tells, null to take the mark away. */
export async function markMemory(run: string, tag: string, unit: string | null): Promise<void> {
  await patchJson('profile/memory/marks', { run, tag, unit });
}

/** One sentence about the run that logged memory last. */
export async function loggedMemorySays(signal: AbortSignal): Promise<string | null> {
  const { sentence, runs, run } = await fetchLoggedMemory('', signal);
  if (sentence === '') return null;
  const name = runs.find(({ id }) => id === run)?.name ?? '';
  return runs.length > 1 ? `${name}: ${sentence}` : sentence;
}
