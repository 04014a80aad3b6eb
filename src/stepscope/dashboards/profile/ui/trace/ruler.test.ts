// The ruler has round times.
import { expect, it } from 'vitest';
import { timeOverlay } from './ruler';
import { drawing, stageOf } from './stage.fixture';

it('the ruler has a line and a text at round times', () => {
  const { pen, boxes, texts } = drawing();
  timeOverlay.draw(pen, stageOf([]));
  expect(boxes.map(([x]) => x)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]);
  expect(texts[0]).toBe('0');
  expect(texts.length).toBe(boxes.length - 1); // the last one would be cut off at the edge
});
