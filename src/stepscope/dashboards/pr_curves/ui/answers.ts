// Asks the server for curves, and turns them into lines in order of recall.
import { postForFrame } from '$web/api/client';
import { decodeFrame, type ColumnSpec } from '$web/api/frame';
import type { SeriesRef } from '$web/api/types';

export interface CurveName extends SeriesRef {
  step: number;
  wall: number | null;
}

/** One curve at its step; the arrays are in order of recall. */
export interface PrCurve extends SeriesRef {
  step: number;
  /** Null when no threshold calls anything positive. */
  area: number | null;
  /** Why it could not be read. */
  problem: string | null;
  threshold: Float64Array;
  precision: Float64Array;
  recall: Float64Array;
  truePositives: Float64Array;
  falsePositives: Float64Array;
  trueNegatives: Float64Array;
  falseNegatives: Float64Array;
}

interface WireCurve extends SeriesRef {
  step: number;
  area: number | null;
  problem: string | null;
  columns: Record<string, ColumnSpec | undefined>;
}

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
  const frame = decodeFrame<{ curves: WireCurve[] }>(await postForFrame('pr_curves/curves', { curves, fold }, signal));
  return frame.header.curves.map(({ columns, ...rest }) => {
    const column = (name: string): Float64Array => frame.floats(columns[name]);
    const [precision, recall] = [column('precision'), column('recall')];
    const [truePositives, falsePositives] = [column('true_positives'), column('false_positives')];
    const order = drawnOrder(precision, recall, truePositives, falsePositives);
    const sorted = (list: Float64Array): Float64Array => Float64Array.from(order, (i) => list[i] ?? NaN);
    return {
      ...rest,
      threshold: sorted(column('threshold')),
      precision: sorted(precision),
      recall: sorted(recall),
      truePositives: sorted(truePositives),
      falsePositives: sorted(falsePositives),
      trueNegatives: sorted(column('true_negatives')),
      falseNegatives: sorted(column('false_negatives')),
    };
  });
}
