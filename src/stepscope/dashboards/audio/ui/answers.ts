// Asks the server for the bytes of one sound.
import { getFile } from '$web/api/client';
import { addressOf, type Address } from '$web/api/routes';
import type { SeriesRef } from '$web/api/types';
import { valueAsked, type LoggedSteps } from '$web/media/answers';

export type SoundAddress = Address<'audio/sound'>;

export interface SoundBytes {
  /** Null when no browser plays the type. */
  playable: Blob | null;
  bytes: number;
  label: string;
}

export const soundAddress = (
  series: SeriesRef,
  steps: LoggedSteps,
  place: number,
  sample: number,
  fold: boolean,
): SoundAddress => addressOf('audio/sound', { ...valueAsked(series, steps, place, fold), sample });

export async function fetchSound(address: SoundAddress, signal: AbortSignal): Promise<SoundBytes> {
  const { data, type, fact } = await getFile(address, signal);
  return { playable: type.startsWith('audio/') ? data : null, bytes: data.size, label: decoded(fact('x-label') ?? '') };
}

function decoded(label: string): string {
  try {
    return decodeURIComponent(label);
  } catch {
    return label;
  }
}
