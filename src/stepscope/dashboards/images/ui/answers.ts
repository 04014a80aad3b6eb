// Asks the server for the bytes of one image.
import { apiAddress, getAnswer } from '$web/api/client';
import type { SeriesRef } from '$web/api/types';
import { valueQuery, type LoggedSteps } from '$web/media/answers';

export interface ImageBytes {
  /** Null when a browser cannot show the type. */
  address: string | null;
  type: string;
  bytes: number;
  /** As the log has it, such as "640x480"; zeros when it has none. */
  loggedSize: string;
  samples: number;
}

/** The path of one image below the API. */
export function imagePath(series: SeriesRef, steps: LoggedSteps, place: number, sample: number, fold: boolean): string {
  return `images/image?${valueQuery(series, steps, place, fold)}&sample=${sample}`;
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
