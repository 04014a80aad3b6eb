// Asks the server for the bytes of one image.
import { getFile } from '$web/api/client';
import { addressOf, type Address } from '$web/api/routes';
import type { SeriesRef } from '$web/api/types';
import { valueAsked, type LoggedSteps } from '$web/media/answers';

export type ImageAddress = Address<'images/image'>;

export interface ImageBytes {
  /** Null when a browser cannot show the type. */
  shown: string | null;
  type: string;
  bytes: number;
  /** As the log has it, such as "640x480"; zeros when it has none. */
  loggedSize: string;
  samples: number;
}

export const imageAddress = (
  series: SeriesRef,
  steps: LoggedSteps,
  place: number,
  sample: number,
  fold: boolean,
): ImageAddress => addressOf('images/image', { ...valueAsked(series, steps, place, fold), sample });

/** Fetched rather than shown by its address, so that an error's sentence can stand in the image's place. */
export async function fetchImage(address: ImageAddress, signal: AbortSignal): Promise<ImageBytes> {
  const { data, type, fact } = await getFile(address, signal);
  return {
    shown: type.startsWith('image/') ? URL.createObjectURL(data) : null,
    type,
    bytes: data.size,
    loggedSize: fact('x-logged-size') ?? '0x0',
    samples: Number(fact('x-samples') ?? 1),
  };
}
