// A bookmark is a flag on the ruler; a click shows its window.
import { expect, it, vi } from 'vitest';
import { drawing, stageOf } from '../stage.fixture';
import { bookmarkOverlay } from './bookmarks';

const marks = [
  { window: [200, 300] as const, name: 'gemm' },
  { window: [99_000, 99_001] as const, name: 'elsewhere' },
];

it('those in the window have a flag', () => {
  const { pen, boxes } = drawing();
  bookmarkOverlay(marks, () => undefined).draw(pen, stageOf([]));
  expect(boxes.map(([x]) => x)).toEqual([200, 200]);
});

it('the flag has a name and leads to its window', () => {
  const show = vi.fn();
  const overlay = bookmarkOverlay(marks, show);
  const hit = overlay.hit?.(204, 5, stageOf([]));
  expect(hit?.tip.name).toBe('gemm');
  hit?.act?.();
  expect(show).toHaveBeenCalledWith(marks[0]);
  expect(overlay.hit?.(240, 5, stageOf([]))).toBeNull();
  expect(overlay.hit?.(204, 30, stageOf([]))).toBeNull();
});
