// Asks the server about images: which there are, at which steps, and the bytes of one.
import { apiAddress, getAnswer, getJson, postForFrame } from '$web/api/client';
import { decodeFrame, type ColumnSpec } from '$web/api/frame';
import type { SeriesRef } from '$web/api/types';

/** A tag and, for each run that has it, how many values were logged. */
export interface ImageTag {
  name: string;
  values: ReadonlyMap<string, number>;
}

/** Every step of a run and tag. */
export interface ImageSteps {
  samples: number;
  step: Float64Array;
  wall: Float64Array;
  /** Wall time where relative time begins. */
  origin: number;
}

export interface ImageBytes {
  /** Null when a browser cannot show the type. */
  address: string | null;
  type: string;
  bytes: number;
  /** As the log has it, such as "640x480"; zeros when it has none. */
  loggedSize: string;
  samples: number;
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

export async function fetchTags(fold: boolean): Promise<ImageTag[]> {
  const answer = await getJson<WireTags>(`images/tags?fold=${fold}`);
  return answer.tags.map(({ name, runs, values }) => ({
    name,
    values: new Map(runs.map((place, i) => [answer.runs[place] ?? '', values[i] ?? 0])),
  }));
}

export async function fetchSteps(series: readonly SeriesRef[], fold: boolean): Promise<Map<string, ImageSteps>> {
  const frame = decodeFrame<WireSteps>(await postForFrame('images/steps', { series, fold }));
  return new Map(
    frame.header.series.map(({ run, tag, samples, origin, columns }) => [
      seriesKey({ run, tag }),
      { samples, origin, step: frame.floats(columns.step), wall: frame.floats(columns.wall) },
    ]),
  );
}

/** The path of one image below the API. With its wall time it always names the same bytes. */
export function imagePath(series: SeriesRef, steps: ImageSteps, place: number, sample: number, fold: boolean): string {
  const wall = steps.wall[place] ?? NaN;
  const query = new URLSearchParams({ ...series, step: String(steps.step[place]), sample: String(sample) });
  if (Number.isFinite(wall)) query.set('wall', String(wall));
  query.set('fold', String(fold));
  return `images/image?${query}`;
}

export const downloadAddress = (path: string): string => apiAddress(path);

/** Fetched rather than shown by its address, so that an error's sentence can stand in the image's place. */
export async function fetchImage(path: string, signal: AbortSignal): Promise<ImageBytes> {
  const answer = await getAnswer(path, signal);
  const data = await answer.blob();
  const type = answer.headers.get('content-type') ?? '';
  return {
    address: type.startsWith('image/') ? URL.createObjectURL(data) : null,
    type,
    bytes: data.size,
    loggedSize: answer.headers.get('x-logged-size') ?? '0x0',
    samples: Number(answer.headers.get('x-samples') ?? 1),
  };
}
