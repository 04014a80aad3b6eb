// How far loading has come, as a share and in words.
import type { Loading } from '../api/types';
import { bytes, count } from '../widgets/format';

export interface Progress {
  /** 0 to 1. */
  share: number;
  words: string;
}

/** null when everything has been read. */
export function progressOf(loading: Loading | null): Progress | null {
  if (loading === null || loading.state === 'live' || loading.state === 'once') return null;
  if (loading.state === 'scanning') return { share: 0, words: `Listing folders: ${count(loading.files)} files so far` };
  const files = `${count(loading.files_done)} of ${count(loading.files)} files`;
  return {
    share: loading.bytes === 0 ? 0 : Math.min(1, loading.bytes_done / loading.bytes),
    words: `Reading ${files}, ${bytes(loading.bytes_done)} of ${bytes(loading.bytes)}`,
  };
}
