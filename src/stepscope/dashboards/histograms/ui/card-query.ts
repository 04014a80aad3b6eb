// What a card asks the server for: as many slots and bins as its pixels and its way of drawing can show.
import type { TimeAxis } from '$web/api/histograms';
import type { HistogramLook, View } from '$web/state/view';
import type { Asked } from './histogram-data.svelte';

/** Cells of this many pixels: finer ones cannot be told apart. */
const CELL = 2;
const HILL = 4;
const MOST_SLOTS = 1024;
const MOST_BINS = 512;

/** Another tag's values are no axis for histograms, so steps stand in. */
export function timeAxisOf(view: Pick<View, 'x'>): TimeAxis {
  return view.x === 'tag' ? 'step' : view.x;
}

export interface CardSize {
  width: number;
  height: number;
}

export function askFor(
  look: HistogramLook,
  view: Pick<View, 'x' | 'zoom' | 'fold'>,
  values: readonly [number, number] | undefined,
  { width, height }: CardSize,
): Asked {
  const limit = (count: number, most: number): number => Math.max(16, Math.min(most, Math.round(count)));
  const zoom: [number, number] | null = view.zoom === null ? null : [view.zoom[0], view.zoom[1]];
  const common = { x: timeAxisOf(view), range: view.x === 'tag' ? null : zoom, fold: view.fold };
  if (look === 'percentiles') return { kind: 'bands', query: { ...common, slots: limit(width, MOST_SLOTS) } };
  const shown: [number, number] | null = values === undefined ? null : [values[0], values[1]];
  const across = limit(width / CELL, MOST_SLOTS);
  if (look === 'heat')
    return { kind: 'grid', query: { ...common, values: shown, slots: across, bins: limit(height / CELL, MOST_BINS) } };
  return {
    kind: 'grid',
    query: { ...common, values: shown, slots: limit(height / HILL, MOST_SLOTS), bins: limit(across, MOST_BINS) },
  };
}
