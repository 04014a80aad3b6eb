// One value that follows what is asked for: fetched anew when the question changes, the old one kept until the new one has come.
import { isAbort } from '../api/client';

export class Fetched<Value> {
  value = $state.raw<Value | null>(null);
  problem = $state.raw<string | null>(null);
  waiting = $state.raw(false);

  /** Fetches inside an effect; answers how to stop. */
  follow(fetch: (signal: AbortSignal) => Promise<Value>): () => void {
    const stop = new AbortController();
    this.waiting = true;
    fetch(stop.signal)
      .then((value) => {
        if (!stop.signal.aborted) this.show(value, null);
      })
      .catch((error: unknown) => {
        if (!isAbort(error)) this.show(null, error instanceof Error ? error.message : String(error));
      });
    return () => stop.abort();
  }

  private show(value: Value | null, problem: string | null): void {
    this.value = value;
    this.problem = problem;
    this.waiting = false;
  }
}
