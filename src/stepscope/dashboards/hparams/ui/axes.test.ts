// Axes place numbers and words, and a brush becomes a filter.
import { expect, it } from 'vitest';
import { axisOf, brushed, heightAt, usualScale } from './axes';
import { search } from './fixture';
import { makeGrid, type GridColumn } from './grid';
import { rampColour, rampOver } from './trial-colours';

const grid = makeGrid(
  search(),
  false,
  () => ({ label: '', status: 'finished' }),
  () => true,
);
const ROWS = [0, 1, 2, 3, 4, 5];
const column = (key: string): GridColumn => grid.columns.find((one) => one.key === key) as GridColumn;

it('places numbers linearly, by factors and by rank', () => {
  expect([...axisOf(column('m:loss@'), ROWS, 6, 'linear', [100, 0]).places]).toEqual([60, 100, 80, 0, 20, NaN]);
  expect([...axisOf(column('m:loss@'), ROWS, 6, 'quantile', [100, 0]).places]).toEqual([50, 100, 75, 0, 25, NaN]);
  const log = axisOf(column('h:lr'), ROWS, 6, 'log', [100, 0]).places;
  expect([log[0], log[3]]).toEqual([0, 100]);
});

it('places words beside each other and has no place for what is missing', () => {
  const axis = axisOf(column('h:optimizer'), ROWS, 6, undefined, [100, 0]);
  expect([axis.scale, ...axis.places]).toEqual([null, 75, 75, 25, 25, NaN, 75]);
});

it('reads hyperparameters over two decades by factors', () => {
  expect(usualScale([1e-4, 1e-2], 'hparam')).toBe('log');
  expect([usualScale([1, 10], 'hparam'), usualScale([1e-4, 1], 'metric'), usualScale([0, 1e5], 'hparam')]).toEqual([
    'linear',
    'linear',
    'linear',
  ]);
  expect(usualScale([1, 'auto'], 'hparam')).toBeNull();
  expect(
    ['lr', 'optimizer.learning_rate', 'weight_decay', 'colr', 'epsilon_steps'].map((name) =>
      usualScale([1e-3, 3e-3], 'hparam', name),
    ),
  ).toEqual(['log', 'log', 'log', 'linear', 'linear']);
});

it('makes a filter of what is brushed', () => {
  const loss = axisOf(column('m:loss@'), ROWS, 6, 'linear', [100, 0]);
  expect(brushed(loss, ROWS, 85, 55)).toEqual({ key: 'm:loss@', kind: 'interval', low: 2, high: 3 });
  expect(brushed(loss, ROWS, 40, 35)).toBeNull();
  const words = axisOf(column('h:optimizer'), ROWS, 6, undefined, [100, 0]);
  expect(brushed(words, ROWS, 0, 50)).toEqual({ key: 'h:optimizer', kind: 'values', values: ['sgd'] });
});

it('knows where a line is between axes', () => {
  const axes = ['m:loss@', 'h:lr'].map((key) => axisOf(column(key), ROWS, 6, 'linear', [100, 0]));
  expect(heightAt(axes, [0, 100], 0, 50)).toBeCloseTo(30);
  expect(heightAt(axes, [0, 100], 5, 50)).toBeNaN();
});

it('colours from the lowest to the highest value', () => {
  const ramp = rampOver(column('m:loss@'), ROWS, 'light');
  expect(ramp).not.toBeNull();
  if (ramp === null) return;
  expect([ramp.low, ramp.high]).toEqual([1, 6]);
  expect([rampColour(ramp, 1), rampColour(ramp, 6), rampColour(ramp, undefined)]).toEqual([
    ramp.colours[0],
    ramp.colours.at(-1),
    null,
  ]);
});
