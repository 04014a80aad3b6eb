// Searches all texts on the server, and says what was found so far.
import type { SearchAnswer, SearchRequest } from '$api';
import { getJson, postJson } from '$web/api/client';
import { isOver } from '$web/api/jobs';
import { addressOf } from '$web/api/routes';

/** Asks until the search has ended; the server stops it when nobody asks any more. */
export async function searchText(
  asked: SearchRequest,
  signal: AbortSignal,
  found: (answer: SearchAnswer) => void,
): Promise<void> {
  let answer = await postJson('text/search', asked, signal);
  while (!signal.aborted) {
    found(answer);
    if (isOver(answer.job)) return;
    answer = await getJson(addressOf('text/search/{id}', { id: answer.job.id }), signal);
  }
}
