// Asks for curves, bands and run columns, and gives their columns as typed arrays.
import type { CurveColumns, CurveHeader, CurvesHeader, GroupColumns, GroupHeader, RunColumns } from '$api';
import { postForFrame } from './client';
import { decodeFrame, type Decoded, type Frame } from './frame';
import type { GroupsQuery, SeriesQuery, SeriesRef } from './types';

/** One reduced curve. */
export interface SeriesPart
  extends Omit<CurveHeader, 'columns'>, Pick<Decoded<CurveColumns>, 'x' | 'y' | 'step' | 'wall' | 'segment'> {
  smooth: { x: Float64Array; y: Float64Array; segment: Int32Array } | null;
  marks: { x: Float64Array; kind: Uint8Array } | null;
}

/** One group of runs. */
export type GroupPart = Omit<GroupHeader, 'columns'> &
  Omit<Decoded<GroupColumns>, 'mark_x' | 'mark_kind'> & { marks: { x: Float64Array; kind: Uint8Array } | null };

/** Run ids and tags hold no NUL, so the pair is a unique key. */
export function seriesKey(run: string, tag: string): string {
  return `${run}\u0000${tag}`;
}

type MarkColumns = Pick<CurveColumns, 'mark_x' | 'mark_kind'>;

function marksOf(frame: Frame<unknown>, columns: MarkColumns): { x: Float64Array; kind: Uint8Array } | null {
  const x = frame.floats(columns.mark_x);
  return x.length === 0 ? null : { x, kind: frame.bytes(columns.mark_kind) };
}

export function curvesOf(frame: Frame<CurvesHeader>): SeriesPart[] {
  return frame.header.series.map(({ columns, ...said }) => {
    const smoothX = frame.floats(columns.smooth_x);
    return {
      ...said,
      x: frame.floats(columns.x),
      y: frame.floats(columns.y),
      step: frame.floats(columns.step),
      wall: frame.floats(columns.wall),
      segment: frame.ints(columns.segment),
      smooth:
        smoothX.length === 0
          ? null
          : { x: smoothX, y: frame.floats(columns.smooth_y), segment: frame.ints(columns.smooth_segment) },
      marks: marksOf(frame, columns),
    };
  });
}

/** A frame as a saved file has it: the answer of the server, compressed by gzip, in base64. */
export async function savedFrame<Header>(base64: string): Promise<Frame<Header>> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const unzipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return decodeFrame<Header>(await new Response(unzipped).arrayBuffer());
}

export async function fetchSeries(
  query: SeriesQuery,
  series: readonly SeriesRef[],
  signal: AbortSignal,
): Promise<SeriesPart[]> {
  return curvesOf(await postForFrame('scalars/series', { ...query, series }, signal));
}

export async function fetchGroups(query: GroupsQuery, signal: AbortSignal): Promise<GroupPart[]> {
  const frame = await postForFrame('scalars/groups', query, signal);
  return groupsOf(frame, frame.header.groups);
}

export function groupsOf(frame: Frame<unknown>, groups: readonly GroupHeader[]): GroupPart[] {
  return groups.map(({ columns, ...said }) => ({
    ...said,
    x: frame.floats(columns.x),
    mid: frame.floats(columns.mid),
    low: frame.floats(columns.low),
    high: frame.floats(columns.high),
    n: frame.ints(columns.n),
    marks: marksOf(frame, columns),
  }));
}

/** Last, lowest and highest value of one tag, and where asked for the mean of the last few and steps; by run id. */
export type TagColumn = Record<Exclude<keyof RunColumns, 'last_step'>, Map<string, number>>;

export async function fetchColumns(
  tags: readonly string[],
  fold: boolean,
  meanOf: number | null,
  steps: boolean,
  signal?: AbortSignal,
): Promise<Map<string, TagColumn>> {
  const frame = await postForFrame('scalars/columns', { tags, fold, mean_of: meanOf, steps }, signal);
  const byRun = (values: Float64Array): Map<string, number> => {
    const found = new Map<string, number>();
    frame.header.runs.forEach((run, i) => {
      const value = values[i];
      if (value !== undefined) found.set(run, value);
    });
    return found;
  };
  return new Map(
    frame.header.tags.map(({ name, columns }) => [
      name,
      {
        last: byRun(frame.floats(columns.last)),
        min: byRun(frame.floats(columns.min)),
        max: byRun(frame.floats(columns.max)),
        mean: byRun(frame.floats(columns.mean)),
        min_step: byRun(frame.floats(columns.min_step)),
        max_step: byRun(frame.floats(columns.max_step)),
      },
    ]),
  );
}
