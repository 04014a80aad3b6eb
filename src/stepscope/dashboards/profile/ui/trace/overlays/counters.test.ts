// A counter is as high as its highest value in each column, from zero upwards.
import { expect, it } from 'vitest';
import { drawing, stageOf, trackRow } from '../stage.fixture';
import { counterOverlay } from './counters';

it('a counter is a box for each value, until the next one', () => {
  const { pen, boxes } = drawing();
  const row = trackRow(5, 0, 0, { role: 'counter', least: 0, most: 10 });
  row.height = 28;
  const high = Float64Array.of(10, 5);
  const start = Float64Array.of(100, 300);
  counterOverlay(() => [{ start, high, low: high, last: high }]).draw(pen, stageOf([row, trackRow(6, 60)]));
  expect(boxes).toEqual([
    [100, 3, 200, 20],
    [300, 13, 700, 10],
  ]);
});
