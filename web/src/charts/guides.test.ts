// @vitest-environment happy-dom
// What stands beside the data is drawn inside the plot, and named where there is room.
import { expect, test } from 'vitest';
import { buildScene, drawData } from './scene';
import { SvgPen } from '../draw/svg';
import { inks } from '../style/theme';
import { GuidesLayer, type Guides } from './guides';
import { makeScale } from '../draw/scale';

const ink = inks.light;
const plot = {
  area: { left: 0, top: 0, right: 400, bottom: 200 },
  x: makeScale('linear', [0, 100], [0, 400]),
  y: makeScale('linear', [0, 10], [200, 0]),
  ink,
};

function drawn(guides: Guides): string {
  const pen = new SvgPen(400, 200, (text) => ({ width: 6 * text.length }) as TextMetrics);
  new GuidesLayer(guides).draw(pen, plot);
  return pen.toString('A chart');
}

test('a level inside the plot has its line and name, one outside has neither', () => {
  expect(drawn({ levels: [{ y: 5, label: 'size 5', tone: 'red' }] })).toContain('size 5');
  expect(drawn({ levels: [{ y: 5, label: 'size 5', tone: 'red' }] })).toContain(ink.red);
  expect(drawn({ levels: [{ y: 50, label: 'size 50', tone: 'red' }] })).not.toContain('size 50');
});

test('names of moments that are close together are written once', () => {
  const moments = [10, 11, 12, 60].map((x) => ({ x, label: 'restart' }));
  expect(drawn({ moments }).match(/restart/g)).toHaveLength(2);
});

test('a point at the right edge has its name on the left', () => {
  expect(drawn({ points: [{ x: 100, y: 5, label: 'peak 5' }] })).toMatch(/text-anchor="end"/);
  expect(drawn({ points: [{ x: 10, y: 5, label: 'peak 5' }] })).not.toMatch(/text-anchor="end"/);
});

test('a chart draws them with its curves', () => {
  const options = {
    xAxis: 'step' as const,
    xLabel: 'step',
    logX: false,
    logY: false,
    ignoreOutliers: false,
    xRange: [0, 100] as [number, number],
    yRange: [0, 10] as [number, number],
    tooltipSort: 'nearest' as const,
    tooltipRows: 1,
    directLabels: false,
  };
  const pen = new SvgPen(400, 200, (text) => ({ width: 6 * text.length }) as TextMetrics);
  const guides: Guides = { points: [{ x: 50, y: 5, label: 'peak here' }] };
  drawData(pen, buildScene([], { ...options, guides }, { width: 400, height: 200 }, ink));
  expect(pen.toString('A chart')).toContain('peak here');
});
