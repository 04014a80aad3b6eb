// Asks the server for the newest texts.
import { getJson } from '../api/client';
import { addressOf } from '../api/routes';
import type { SeriesRef } from '../api/types';
import { fetchSteps, seriesKey, valueAsked } from './answers';

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
      const asked = valueAsked(one, known, known.step.length - 1, fold);
      const value = await getJson(addressOf('text/value', asked), signal).catch(() => null);
      return value === null ? null : { series: one, text: value.cells.join('\n\n') };
    }),
  );
  return found.filter((one) => one !== null);
}
