// A counter is as high as its highest value in each column, and says its value under the pointer.
import { expect, it } from 'vitest';
import { drawing, stageOf, trackRow } from '../stage.fixture';
import { counterOverlay } from './counters';

const counter = (least: number, most: number) => {
  const row = trackRow(5, 0, 0, { role: 'counter', name: 'queue', least, most });
  row.height = 28;
  return row;
};
const start = Float64Array.of(100, 300);

it('a counter is a box for each value, until the next one', () => {
  const { pen, boxes } = drawing();
  const high = Float64Array.of(10, 5);
  const row = counter(0, 10);
  counterOverlay(() => [{ start, high, low: high, last: high }]).draw(pen, stageOf([row, trackRow(6, 60)]));
  expect(boxes).toEqual([
    [100, 3, 200, 20],
    [300, 13, 700, 10],
  ]);
});

it('a counter far above zero uses the whole height, and its smallest value is still to be seen', () => {
  const { pen, boxes } = drawing();
  const high = Float64Array.of(1000, 900);
  counterOverlay(() => [{ start, high, low: high, last: high }]).draw(pen, stageOf([counter(900, 1000)]));
  expect(boxes).toEqual([
    [100, 3, 200, 20],
    [300, 22, 700, 1],
  ]);
});

it('the pointer meets the value that holds, and what it was within the pixel', () => {
  const tile = {
    start,
    low: Float64Array.of(1, 5),
    high: Float64Array.of(10, 5),
    last: Float64Array.of(4, 5),
  };
  const [overlay, stage] = [counterOverlay(() => [tile]), stageOf([counter(0, 10), trackRow(6, 60)])];
  expect(overlay.hit?.(50, 10, stage)).toBeNull();
  expect(overlay.hit?.(200, 10, stage)?.tip).toMatchObject({ name: 'queue', text: '4' });
  expect(overlay.hit?.(200, 10, stage)?.tip.soft).toContain('1 – 10');
  expect(overlay.hit?.(900, 10, stage)?.tip).toEqual({ name: 'queue', text: '5' });
  expect(overlay.hit?.(900, 70, stage)).toBeNull();
});
