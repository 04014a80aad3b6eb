// Asks the server which images, sounds or texts there are and at which steps; all are asked for in the same way.
import { getJson, postForFrame } from '../api/client';
import { decodeFrame, type ColumnSpec } from '../api/frame';
import type { SeriesRef } from '../api/types';

/** A tag and, for each run that has it, how many values were logged. */
export interface LoggedTag {
  name: string;
  values: ReadonlyMap<string, number>;
}

/** Every step of a run and tag. */
export interface LoggedSteps {
  samples: number;
  step: Float64Array;
  wall: Float64Array;
  /** Wall time where relative time begins. */
  origin: number;
}

interface WireTags {
  runs: string[];
  tags: { name: string; runs: number[]; values: number[] }[];
  total: number;
}

interface WireSteps {
  series: (SeriesRef & { samples: number; origin: number; columns: { step?: ColumnSpec; wall?: ColumnSpec } })[];
}

export const seriesKey = ({ run, tag }: SeriesRef): string => `${run} ${tag}`;

/** `dashboard` is the first part of the routes: images, audio, text. */
export async function fetchTags(dashboard: string, fold: boolean): Promise<LoggedTag[]> {
  const answer = await getJson<WireTags>(`${dashboard}/tags?fold=${fold}`);
  return answer.tags.map(({ name, runs, values }) => ({
    name,
    values: new Map(runs.map((place, i) => [answer.runs[place] ?? '', values[i] ?? 0])),
  }));
}

export async function fetchSteps(
  dashboard: string,
  series: readonly SeriesRef[],
  fold: boolean,
): Promise<Map<string, LoggedSteps>> {
  const frame = decodeFrame<WireSteps>(await postForFrame(`${dashboard}/steps`, { series, fold }));
  return new Map(
    frame.header.series.map(({ run, tag, samples, origin, columns }) => [
      seriesKey({ run, tag }),
      { samples, origin, step: frame.floats(columns.step), wall: frame.floats(columns.wall) },
    ]),
  );
}

/** What names one value in a query. With its wall time it always names the same bytes. */
export function valueQuery(series: SeriesRef, steps: LoggedSteps, place: number, fold: boolean): URLSearchParams {
  const wall = steps.wall[place] ?? NaN;
  const query = new URLSearchParams({ run: series.run, tag: series.tag, step: String(steps.step[place]) });
  if (Number.isFinite(wall)) query.set('wall', String(wall));
  query.set('fold', String(fold));
  return query;
}
