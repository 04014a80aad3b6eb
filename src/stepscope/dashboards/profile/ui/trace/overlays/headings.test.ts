// Only rows of processes have a ground.
import { expect, it } from 'vitest';
import { drawing, processRow, stageOf, trackRow } from '../stage.fixture';
import { headingOverlay } from './headings';

it('rows of processes have a ground, where they are scrolled to', () => {
  const { pen, boxes } = drawing();
  headingOverlay.draw(pen, stageOf([processRow('host', 50), trackRow(1, 76)], { top: 10 }));
  expect(boxes).toEqual([[0, 40, 1000, 25]]);
});
