// The table of the server as the tab asks for it, kept up with what is logged meanwhile.
import type { HparamsRequest } from '$api';
import { isAbort } from '$web/api/client';
import { throttled } from '$web/state/throttle';
import { fetchTrials, type Trials } from './answers';

const PAUSE_MS = 2000;

export class TrialsData {
  trials = $state.raw<Trials | null>(null);
  problem = $state.raw<string | null>(null);
  private asked: HparamsRequest | null = null;
  private stop = new AbortController();
  private readonly again = throttled(() => this.fetch(), PAUSE_MS);

  /** Asks; the old table is shown until the new one comes. */
  async load(asked: HparamsRequest): Promise<void> {
    this.asked = asked;
    await this.fetch();
  }

  /** Something was logged. */
  changed(): void {
    if (this.asked !== null) this.again();
  }

  close(): void {
    this.asked = null;
    this.stop.abort();
  }

  private async fetch(): Promise<void> {
    const { asked } = this;
    if (asked === null) return;
    this.stop.abort();
    const stop = (this.stop = new AbortController());
    try {
      const trials = await fetchTrials(asked, stop.signal);
      if (stop.signal.aborted) return;
      [this.trials, this.problem] = [trials, null];
    } catch (error) {
      if (!isAbort(error) && !stop.signal.aborted)
        this.problem = error instanceof Error ? error.message : String(error);
    }
  }
}
