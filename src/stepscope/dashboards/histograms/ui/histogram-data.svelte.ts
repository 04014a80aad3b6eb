// Loads the picture of one card, keeps the old one until the new comes, and loads again when the series has grown.
import type { JobRow } from '$api';
import { SeriesBatcher } from '$web/api/batch';
import { isAbort } from '$web/api/client';
import {
  fetchBands,
  fetchGrids,
  type BandsPart,
  type BandsQuery,
  type GridPart,
  type GridQuery,
} from '$web/api/histograms';
import type { SeriesRef } from '$web/api/types';
import type { Changed } from '$web/state/folder.svelte';

export type Asked = { kind: 'grid'; query: GridQuery } | { kind: 'bands'; query: BandsQuery };

/** Reading takes the server a while, so that a few cards share a request and the first ones are drawn early. */
const LIMITS = { joinedSeries: 3, maxSeries: 200, parallel: 3 };
const grids = new SeriesBatcher(fetchGrids, LIMITS);
const bands = new SeriesBatcher(fetchBands, LIMITS);

/** A growing card is drawn again at most this often; slow answers make it rarer. */
const REFRESH_MS = 1000;

export class HistogramData {
  part = $state.raw<GridPart | BandsPart | null>(null);
  loading = $state.raw(false);
  /** How many histograms were read so far, where that takes long. */
  read = $state.raw<number | null>(null);
  problem = $state.raw<string | null>(null);

  private asked: Asked | null = null;
  private series: SeriesRef | null = null;
  private stop = new AbortController();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private restUntil = 0;

  load(asked: Asked, series: SeriesRef): void {
    this.asked = asked;
    this.series = series;
    void this.fetch();
  }

  changed(changed: Changed): void {
    const { series } = this;
    if (series === null || (changed !== null && changed[series.run]?.includes(series.tag) !== true)) return;
    this.timer ??= setTimeout(() => void this.fetch(), Math.max(0, this.restUntil - performance.now()));
  }

  retry(): void {
    void this.fetch();
  }

  close(): void {
    this.stop.abort();
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private async fetch(): Promise<void> {
    const { asked, series } = this;
    if (asked === null || series === null) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.stop.abort();
    this.stop = new AbortController();
    const { signal } = this.stop;
    const started = performance.now();
    this.loading = true;
    const progress = ({ done }: JobRow): void => {
      if (!signal.aborted) this.read = done;
    };
    try {
      const found =
        asked.kind === 'grid'
          ? await grids.load(asked.query, [series], signal, progress)
          : await bands.load(asked.query, [series], signal, progress);
      const [part] = found.values();
      this.part = part ?? null;
      this.problem = part?.problem ?? null;
    } catch (error) {
      if (!isAbort(error)) this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      if (!signal.aborted) {
        this.loading = false;
        this.read = null;
      }
      const now = performance.now();
      this.restUntil = now + Math.max(REFRESH_MS, 3 * (now - started));
    }
  }
}
