// Of several overlays under a point, the one that was drawn last is meant.
import { expect, it } from 'vitest';
import { hitOf, type Overlay } from './overlay';
import { stageOf } from './stage.fixture';

const from = (left: number, name: string): Overlay => ({
  draw: () => undefined,
  hit: (x) => (x >= left ? { tip: { name }, act: null } : null),
});

it('the overlay on top is hit', () => {
  const overlays = [from(0, 'first'), from(100, 'second'), { draw: () => undefined }];
  expect(hitOf(overlays, 150, 0, stageOf([]))?.tip.name).toBe('second');
  expect(hitOf(overlays, 50, 0, stageOf([]))?.tip.name).toBe('first');
  expect(hitOf(overlays, -1, 0, stageOf([]))).toBeNull();
});

it('a stage places times on the canvas and back', () => {
  const { x } = stageOf([], { window: [2000, 3000], width: 500 });
  expect(x.map(2500)).toBe(250);
  expect(x.invert(250)).toBe(2500);
});
