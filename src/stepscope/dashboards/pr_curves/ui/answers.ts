// Asks the server for curves, and turns them into lines in order of recall.
import type { CurveName, PrColumns, PrCurveHeader } from '$api';
import { postForFrame } from '$web/api/client';
import type { Decoded } from '$web/api/frame';

/** One curve at its step; the arrays are in order of recall. */
export type PrCurve = Omit<PrCurveHeader, 'columns'> & Decoded<PrColumns>;

/** Places that can be drawn, by recall; a threshold that calls nothing positive has no precision. */
export function drawnOrder(
  precision: Float64Array,
  recall: Float64Array,
  truePositives: Float64Array,
  falsePositives: Float64Array,
): number[] {
  const called = (i: number): number => (truePositives[i] ?? 0) + (falsePositives[i] ?? 0);
  return [...recall.keys()]
    .filter((i) => called(i) > 0 && Number.isFinite(precision[i]) && Number.isFinite(recall[i]))
    .reverse()
    .sort((a, b) => (recall[a] ?? 0) - (recall[b] ?? 0));
}

export async function fetchCurves(
  curves: readonly CurveName[],
  fold: boolean,
  signal: AbortSignal,
): Promise<PrCurve[]> {
  const frame = await postForFrame('pr_curves/curves', { curves, fold }, signal);
  return frame.header.curves.map(({ columns, ...said }) => {
    const column = (name: keyof PrColumns): Float64Array => frame.floats(columns[name]);
    const [precision, recall] = [column('precision'), column('recall')];
    const order = drawnOrder(precision, recall, column('true_positives'), column('false_positives'));
    const sorted = (list: Float64Array): Float64Array => Float64Array.from(order, (i) => list[i] ?? NaN);
    return {
      ...said,
      threshold: sorted(column('threshold')),
      precision: sorted(precision),
      recall: sorted(recall),
      true_positives: sorted(column('true_positives')),
      false_positives: sorted(column('false_positives')),
      true_negatives: sorted(column('true_negatives')),
      false_negatives: sorted(column('false_negatives')),
    };
  });
}
