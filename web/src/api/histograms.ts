// Asks for histograms: cells of counts, percentiles, and the exact buckets of one value.
import { getJson, postForFrame } from './client';
import { decodeFrame, type ColumnSpec, type Frame } from './frame';
import { toNumber, type SeriesRef, type WireNumber } from './types';

export type TimeAxis = 'step' | 'relative' | 'wall';

/** Everything about a request but which series. */
export interface BandsQuery {
  x: TimeAxis;
  range: [number, number] | null;
  slots: number;
  fold: boolean;
}

export interface GridQuery extends BandsQuery {
  values: [number, number] | null;
  bins: number;
}

/** Steps gathered by x; in order of x. */
export interface Slots {
  firstX: Float64Array;
  lastX: Float64Array;
  firstStep: Float64Array;
  /** Of the last step, as is `wall`. */
  step: Float64Array;
  wall: Float64Array;
  count: Int32Array;
}

interface Part extends SeriesRef {
  steps: number;
  inRange: number;
  xExtent: [number, number] | null;
  /** Why the series could not be read at all. */
  problem: string | null;
  /** What of it is left out. */
  notices: string[];
  slots: Slots;
}

/** Mean counts, `bins` for each slot, over equal parts of `values`. */
export interface GridPart extends Part {
  kind: 'grid';
  /** Of all buckets in range; `values` is what the cells span. */
  extent: [number, number] | null;
  values: [number, number];
  bins: number;
  cells: Float32Array;
}

/** Percentiles for the shares in `shares`, that many for each slot. */
export interface BandsPart extends Part {
  kind: 'bands';
  shares: number[];
  levels: Float64Array;
}

interface WirePart extends SeriesRef {
  steps: number;
  in_range: number;
  x_extent: [number, number] | null;
  extent?: [number, number] | null;
  values?: [number, number];
  problem: string | null;
  notices: string[];
  columns: Record<string, ColumnSpec | undefined>;
}

function partOf(frame: Frame<unknown>, wire: WirePart): Part {
  const { columns } = wire;
  return {
    run: wire.run,
    tag: wire.tag,
    steps: wire.steps,
    inRange: wire.in_range,
    xExtent: wire.x_extent,
    problem: wire.problem,
    notices: wire.notices,
    slots: {
      firstX: frame.floats(columns['first_x']),
      lastX: frame.floats(columns['last_x']),
      firstStep: frame.floats(columns['first_step']),
      step: frame.floats(columns['step']),
      wall: frame.floats(columns['wall']),
      count: frame.ints(columns['count']),
    },
  };
}

export async function fetchGrids(
  query: GridQuery,
  series: readonly SeriesRef[],
  signal: AbortSignal,
): Promise<GridPart[]> {
  const answer = await postForFrame('histograms/grid', { ...query, series }, signal);
  const frame = decodeFrame<{ bins: number; series: WirePart[] }>(answer);
  return frame.header.series.map((wire) => ({
    ...partOf(frame, wire),
    kind: 'grid',
    extent: wire.extent ?? null,
    values: wire.values ?? [0, 1],
    bins: frame.header.bins,
    cells: frame.singles(wire.columns['cells']),
  }));
}

export async function fetchBands(
  query: BandsQuery,
  series: readonly SeriesRef[],
  signal: AbortSignal,
): Promise<BandsPart[]> {
  const answer = await postForFrame('histograms/bands', { ...query, series }, signal);
  const frame = decodeFrame<{ levels: number[]; series: WirePart[] }>(answer);
  return frame.header.series.map((wire) => ({
    ...partOf(frame, wire),
    kind: 'bands',
    shares: frame.header.levels,
    levels: frame.floats(wire.columns['levels']),
  }));
}

/** One logged histogram as it is in the file. */
export interface ExactHistogram {
  step: number;
  wall: number;
  left: number[];
  right: number[];
  count: number[];
}

interface WireHistogram {
  step: number;
  wall: WireNumber;
  left: WireNumber[];
  right: WireNumber[];
  count: number[];
}

/** The histogram nearest to a place on x. */
export async function fetchHistogram(
  { run, tag }: SeriesRef,
  x: TimeAxis,
  at: number,
  fold: boolean,
): Promise<ExactHistogram> {
  const query = new URLSearchParams({ run, tag, x, at: String(at), fold: String(fold) });
  const wire = await getJson<WireHistogram>(`histograms/value?${query}`);
  const numbers = (list: WireNumber[]): number[] => list.map((one) => toNumber(one) ?? NaN);
  return {
    step: wire.step,
    wall: toNumber(wire.wall) ?? NaN,
    left: numbers(wire.left),
    right: numbers(wire.right),
    count: wire.count,
  };
}

/** The bucket that holds a value; the last one also holds its right edge. −1 when none does. */
export function bucketAt({ left, right }: ExactHistogram, value: number): number {
  const found = left.findIndex((edge, i) => value >= edge && value < (right[i] ?? NaN));
  return found >= 0 ? found : left.findLastIndex((edge, i) => value >= edge && value <= (right[i] ?? NaN));
}
