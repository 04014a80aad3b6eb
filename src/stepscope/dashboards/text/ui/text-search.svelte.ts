// A search through all texts as the page shows it: what was found so far, how far it is, and cancel.
import type { SearchAnswer, SearchRequest } from '$api';
import { isAbort } from '$web/api/client';
import { searchText } from './answers';

export class TextSearch {
  /** What was found so far; that of the words before until the first answer has come. */
  answer = $state.raw<SearchAnswer | null>(null);
  problem = $state.raw<string | null>(null);
  running = $state.raw(false);
  private stop = new AbortController();

  /** Searches inside an effect; answers how to stop. */
  follow(asked: SearchRequest): () => void {
    const stop = new AbortController();
    this.stop = stop;
    this.running = true;
    this.problem = null;
    const show = (answer: SearchAnswer): void => {
      if (!stop.signal.aborted) this.answer = answer;
    };
    searchText(asked, stop.signal, show)
      .catch((error: unknown) => {
        if (!isAbort(error)) this.problem = error instanceof Error ? error.message : String(error);
      })
      .finally(() => {
        if (this.stop === stop) this.running = false;
      });
    return () => stop.abort();
  }

  /** Keeps what was found; without anybody who asks, the server stops as well. */
  cancel(): void {
    this.stop.abort();
  }
}
