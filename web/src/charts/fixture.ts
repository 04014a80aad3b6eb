// Small curves and plots that tests can read at a glance.
import { inks } from '../style/theme';
import { makeScale, type Interval } from '../draw/scale';
import type { Plot } from '../draw/layer';
import type { ChartOptions, Curve } from './types';

/** A curve through the given values, at x 0, 1, 2 … unless xs are given. */
export function curveOf(values: number[], more: Partial<Curve> = {}): Curve {
  const x = more.x ?? Float64Array.from(values, (_, i) => i);
  const finite = values.filter(Number.isFinite);
  return {
    key: 'run\u0000loss',
    label: 'run',
    colour: '#d5792e',
    dash: 'solid',
    x,
    y: Float64Array.from(values),
    step: Float64Array.from(x),
    wall: Float64Array.from(x, (v) => 1_794_770_000 + v),
    segment: new Int32Array(values.length),
    yExtent: finite.length ? [Math.min(...finite), Math.max(...finite)] : null,
    yInner: null,
    xExtent: x.length ? [x[0], x[x.length - 1]] : null,
    ...more,
  };
}

export function optionsOf(more: Partial<ChartOptions> = {}): ChartOptions {
  return {
    xAxis: 'step',
    xLabel: 'step',
    logX: false,
    logY: false,
    ignoreOutliers: false,
    xRange: null,
    yRange: null,
    tooltipSort: 'value',
    tooltipRows: 5,
    directLabels: false,
    ...more,
  };
}

/** A plot of 100 by 100 pixels from the corner. */
export function plotOf(x: Interval, y: Interval): Plot {
  return {
    area: { left: 0, top: 0, right: 100, bottom: 100 },
    x: makeScale('linear', x, [0, 100]),
    y: makeScale('linear', y, [100, 0]),
    ink: inks.light,
  };
}
