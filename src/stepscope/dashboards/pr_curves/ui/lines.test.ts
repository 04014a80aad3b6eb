// Curves are drawn by recall, without points that have no precision, and hand back what stands behind a point.
import { expect, it } from 'vitest';
import { drawnOrder, type PrCurve } from './answers';
import { chartCurves, detailsOf } from './lines';

const f64 = (...list: number[]): Float64Array => Float64Array.from(list);

it('draws by recall, of equal ones the higher threshold first, and nothing where nothing is called positive', () => {
  const order = drawnOrder(f64(0.5, 0.6, 1, NaN, 0), f64(1, 0.5, 0.5, 0.4, 0), f64(4, 2, 2, 1, 0), f64(4, 1, 0, 0, 0));
  expect(order).toEqual([2, 1, 0]);
});

it('hands back the counts of a point', () => {
  const curve: PrCurve = {
    run: 'a',
    tag: 'pr',
    step: 3,
    area: 0.5,
    problem: null,
    threshold: f64(0.75, 0.25),
    precision: f64(1, 0.5),
    recall: f64(0.5, 1),
    true_positives: f64(2, 4),
    false_positives: f64(0, 4),
    true_negatives: f64(4, 0),
    false_negatives: f64(2, 0),
  };
  const [line] = chartCurves([curve, { ...curve, recall: f64() }], () => ({
    label: 'A',
    colour: '#000000',
    dash: 'solid',
  }));
  expect([...(line?.x ?? [])]).toEqual([0.5, 1]);
  expect(detailsOf(curve, line?.step[1] ?? -1)).toEqual(['0.25', '4', '4', '0', '0']);
  expect(detailsOf(undefined, 0)).toEqual(['', '', '', '', '']);
});
