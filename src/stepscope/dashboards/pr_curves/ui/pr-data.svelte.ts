// Loads the curves of one card and keeps the old ones until the new come, so that a slider moves lines instead of blinking.
import type { CurveName } from '$api';
import { isAbort } from '$web/api/client';
import { fetchCurves, type PrCurve } from './answers';

export class PrData {
  curves = $state.raw<readonly PrCurve[]>([]);
  loading = $state.raw(false);
  problem = $state.raw<string | null>(null);
  private stop = new AbortController();

  async load(names: readonly CurveName[], fold: boolean): Promise<void> {
    this.stop.abort();
    this.stop = new AbortController();
    const { signal } = this.stop;
    if (names.length === 0) {
      this.curves = [];
      return;
    }
    this.loading = true;
    try {
      this.curves = await fetchCurves(names, fold, signal);
      this.problem = null;
    } catch (error) {
      if (!isAbort(error)) this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      if (!signal.aborted) this.loading = false;
    }
  }

  close(): void {
    this.stop.abort();
  }
}
