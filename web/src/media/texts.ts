// Asks the server for one text; what is shown of it is up to who asks.
import { getJson } from '../api/client';
import type { SeriesRef } from '../api/types';
import { fetchSteps, seriesKey, valueQuery } from './answers';

export interface TextValue {
  /** Of the tensor that the strings are from. */
  shape: number[];
  cells: string[];
  /** Of the whole value. */
  bytes: number;
  /** Whether strings are missing or shortened. */
  cut: boolean;
  /** Whether bytes were no UTF-8. */
  replaced: boolean;
}

export const fetchText = (query: string, signal?: AbortSignal): Promise<TextValue> =>
  getJson<TextValue>(`text/value?${query}`, signal);

/** The newest text of each series, in their order; those that cannot be read are left out. */
export async function newestTexts(
  series: readonly SeriesRef[],
  fold: boolean,
  signal: AbortSignal,
): Promise<{ series: SeriesRef; text: string }[]> {
  const steps = await fetchSteps('text', series, fold);
  const found = await Promise.all(
    series.map(async (one) => {
      const known = steps.get(seriesKey(one));
      if (known === undefined || known.step.length === 0) return null;
      const query = String(valueQuery(one, known, known.step.length - 1, fold));
      const value = await fetchText(query, signal).catch(() => null);
      return value === null ? null : { series: one, text: value.cells.join('\n\n') };
    }),
  );
  return found.filter((one) => one !== null);
}
