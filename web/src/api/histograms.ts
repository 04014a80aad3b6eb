// Asks for histograms: cells of counts, percentiles, and the exact buckets of one value.
import type {
  BandsColumns,
  BandsHeader,
  BandsRequest,
  GridColumns,
  GridHeader,
  GridRequest,
  HistogramAnswer,
  JobRow,
} from '$api';
import { getFrame, getJson, postForFrame } from './client';
import type { Decoded, Frame } from './frame';
import { addressOf } from './routes';
import { toNumber, type SeriesRef, type WireNumber } from './types';

/** Everything about a request but which series. */
export type BandsQuery = Omit<Required<BandsRequest>, 'series'>;
export type GridQuery = Omit<Required<GridRequest>, 'series'>;
export type TimeAxis = BandsQuery['x'];

/** Steps gathered by x; in order of x. */
export type Slots = Pick<Decoded<GridColumns>, keyof GridColumns & keyof BandsColumns>;

/** Mean counts, `bins` for each slot, over equal parts of `values`. */
export interface GridPart extends Omit<GridHeader, 'columns'> {
  kind: 'grid';
  bins: number;
  slots: Slots;
  cells: Float32Array;
}

/** Percentiles for the shares in `shares`, that many for each slot. */
export interface BandsPart extends Omit<BandsHeader, 'columns'> {
  kind: 'bands';
  shares: number[];
  slots: Slots;
  levels: Float64Array;
}

function slotsOf(frame: Frame<unknown>, columns: GridColumns | BandsColumns): Slots {
  return {
    first_x: frame.floats(columns.first_x),
    last_x: frame.floats(columns.last_x),
    first_step: frame.floats(columns.first_step),
    step: frame.floats(columns.step),
    wall: frame.floats(columns.wall),
    count: frame.ints(columns.count),
  };
}

export async function fetchGrids(
  query: GridQuery,
  series: readonly SeriesRef[],
  signal: AbortSignal,
  progress: (job: JobRow) => void,
): Promise<GridPart[]> {
  let frame = await postForFrame('histograms/grid', { ...query, series }, signal);
  while (frame.header.job !== null) {
    progress(frame.header.job);
    frame = await getFrame(addressOf('histograms/grid/{id}', { id: frame.header.job.id }), signal);
  }
  return frame.header.series.map(({ columns, ...said }) => ({
    ...said,
    kind: 'grid',
    bins: frame.header.bins,
    slots: slotsOf(frame, columns),
    cells: frame.singles(columns.cells),
  }));
}

export async function fetchBands(
  query: BandsQuery,
  series: readonly SeriesRef[],
  signal: AbortSignal,
  progress: (job: JobRow) => void,
): Promise<BandsPart[]> {
  let frame = await postForFrame('histograms/bands', { ...query, series }, signal);
  while (frame.header.job !== null) {
    progress(frame.header.job);
    frame = await getFrame(addressOf('histograms/bands/{id}', { id: frame.header.job.id }), signal);
  }
  return frame.header.series.map(({ columns, ...said }) => ({
    ...said,
    kind: 'bands',
    shares: frame.header.levels,
    slots: slotsOf(frame, columns),
    levels: frame.floats(columns.levels),
  }));
}

type Edges = Record<'left' | 'right', number[]>;

/** One logged histogram as it is in the file, with edges that can be counted with. */
export type ExactHistogram = Pick<HistogramAnswer, 'step' | 'count'> & { wall: number } & Edges;

/** The histogram nearest to a place on x. */
export async function fetchHistogram(
  { run, tag }: SeriesRef,
  x: TimeAxis,
  at: number,
  fold: boolean,
): Promise<ExactHistogram> {
  const { step, count, wall, left, right } = await getJson(addressOf('histograms/value', { run, tag, x, at, fold }));
  const numbers = (list: WireNumber[]): number[] => list.map((one) => toNumber(one) ?? NaN);
  return { step, count, wall: toNumber(wall) ?? NaN, left: numbers(left), right: numbers(right) };
}

/** The bucket that holds a value; the last one also holds its right edge. −1 when none does. */
export function bucketAt({ left, right }: Edges, value: number): number {
  const found = left.findIndex((edge, i) => value >= edge && value < (right[i] ?? NaN));
  return found >= 0 ? found : left.findLastIndex((edge, i) => value >= edge && value <= (right[i] ?? NaN));
}
