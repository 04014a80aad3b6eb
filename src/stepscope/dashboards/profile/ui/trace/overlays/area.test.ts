// A selected stretch is a band over the whole height, with an edge at both ends.
import { expect, it } from 'vitest';
import { drawing, stageOf } from '../stage.fixture';
import { areaOverlay } from './area';

it('a selected stretch is a band with two edges', () => {
  const { pen, boxes } = drawing();
  areaOverlay([200, 300]).draw(pen, stageOf([]));
  expect(boxes).toEqual([
    [200, 0, 100, 300],
    [200, 0, 1, 300],
    [300, 0, 1, 300],
  ]);
});

it('nothing is drawn without a selection', () => {
  const { pen, boxes } = drawing();
  areaOverlay(null).draw(pen, stageOf([]));
  expect(boxes).toEqual([]);
});
