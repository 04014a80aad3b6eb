// Asks the server which images, sounds or texts there are and at which steps; all are asked for in the same way.
import type { SeriesSteps, StepColumns, ValueRequest } from '$api';
import { getJson, postForFrame } from '../api/client';
import type { Decoded } from '../api/frame';
import { addressOf } from '../api/routes';
import type { SeriesRef } from '../api/types';

/** The first part of the routes. */
export type MediaName = 'images' | 'audio' | 'text' | 'pr_curves' | 'mesh';

/** A tag and, for each run that has it, how many values were logged. */
export interface LoggedTag {
  name: string;
  values: ReadonlyMap<string, number>;
}

/** Every step of a run and tag. */
export type LoggedSteps = Pick<SeriesSteps, 'samples' | 'origin'> & Decoded<StepColumns>;

export const seriesKey = ({ run, tag }: SeriesRef): string => `${run} ${tag}`;

export async function fetchTags(media: MediaName, fold: boolean): Promise<LoggedTag[]> {
  const answer = await getJson(addressOf(`${media}/tags`, { fold }));
  return answer.tags.map(({ name, runs, values }) => ({
    name,
    values: new Map(runs.map((place, i) => [answer.runs[place] ?? '', values[i] ?? 0])),
  }));
}

export async function fetchSteps(
  media: MediaName,
  series: readonly SeriesRef[],
  fold: boolean,
): Promise<Map<string, LoggedSteps>> {
  const frame = await postForFrame(`${media}/steps`, { series, fold });
  return new Map(
    frame.header.series.map(({ run, tag, samples, origin, columns }) => [
      seriesKey({ run, tag }),
      { samples, origin, step: frame.floats(columns.step), wall: frame.floats(columns.wall) },
    ]),
  );
}

/** What names one value. With its wall time it always names the same bytes. */
export function valueAsked(
  series: SeriesRef,
  steps: LoggedSteps,
  place: number,
  fold: boolean,
): Required<ValueRequest> {
  const wall = steps.wall[place] ?? NaN;
  return {
    run: series.run,
    tag: series.tag,
    step: steps.step[place] ?? NaN,
    wall: Number.isFinite(wall) ? wall : null,
    fold,
  };
}
