// Turns curves into what the chart draws, and says what stands behind each of their points.
import type { Curve, Dash } from '$web/charts/types';
import { formatValue } from '$web/draw/number';
import type { PrCurve } from './answers';

export const DETAIL_HEADS = ['threshold', 'TP', 'FP', 'TN', 'FN'] as const;

export interface Look {
  label: string;
  colour: string;
  dash: Dash;
}

export function chartCurves(curves: readonly PrCurve[], lookOf: (run: string) => Look): Curve[] {
  return curves
    .filter((curve) => curve.recall.length > 0)
    .map((curve) => ({
      key: curve.run,
      ...lookOf(curve.run),
      x: curve.recall,
      y: curve.precision,
      // The chart hands a point's step back, and here it is the point's place.
      step: Float64Array.from(curve.recall.keys()),
      wall: new Float64Array(curve.recall.length),
      segment: new Int32Array(curve.recall.length),
      xExtent: [0, 1],
      yExtent: [0, 1],
      yInner: [0, 1],
    }));
}

/** Threshold, true and false positives, true and false negatives of one point. */
export function detailsOf(curve: PrCurve | undefined, place: number): string[] {
  if (curve === undefined) return DETAIL_HEADS.map(() => '');
  const counts = [curve.true_positives, curve.false_positives, curve.true_negatives, curve.false_negatives];
  return [formatValue(curve.threshold[place] ?? NaN), ...counts.map((list) => formatValue(list[place] ?? NaN, 7))];
}
