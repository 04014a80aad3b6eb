// Asks the server for the bytes of one sound.
import { apiAddress, getAnswer } from '$web/api/client';
import type { SeriesRef } from '$web/api/types';
import { valueQuery, type LoggedSteps } from '$web/media/answers';

export interface SoundBytes {
  /** Null when no browser plays the type. */
  playable: Blob | null;
  bytes: number;
  label: string;
}

/** The path of one sound below the API. */
export const soundPath = (
  series: SeriesRef,
  steps: LoggedSteps,
  place: number,
  sample: number,
  fold: boolean,
): string => `audio/sound?${valueQuery(series, steps, place, fold)}&sample=${sample}`;

export const downloadAddress = (path: string): string => apiAddress(path);

export async function fetchSound(path: string, signal: AbortSignal): Promise<SoundBytes> {
  const answer = await getAnswer(path, signal);
  const data = await answer.blob();
  const playable = (answer.headers.get('content-type') ?? '').startsWith('audio/');
  return { playable: playable ? data : null, bytes: data.size, label: decoded(answer.headers.get('x-label') ?? '') };
}

function decoded(label: string): string {
  try {
    return decodeURIComponent(label);
  } catch {
    return label;
  }
}
