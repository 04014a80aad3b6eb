// What a search found is marked once a pixel, where it is on screen.
import { expect, it } from 'vitest';
import { RULER } from '../ruler';
import { drawing, stageOf } from '../stage.fixture';
import { hitOverlay } from './hits';

it('what was found is marked once a pixel', () => {
  const { pen, boxes } = drawing();
  hitOverlay([500, 500.1, 500.2, 700, 5000]).draw(pen, stageOf([]));
  expect(boxes.map(([x, y]) => [x, y])).toEqual([
    [500, RULER - 6],
    [700, RULER - 6],
  ]);
});
