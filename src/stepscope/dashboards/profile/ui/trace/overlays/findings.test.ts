// Markers are at their evidence, joined where they would cover each other, however many there are.
import { describe, expect, it, vi } from 'vitest';
import type { FindingMark } from '../findings';
import { TIMES } from '../ruler';
import { drawing, stageOf } from '../stage.fixture';
import { findingOverlay, markersOf } from './findings';

const mark = (start: number): FindingMark =>
  ({ rule: `r${start}`, title: 'Slow', text: 'So.', start, end: start + 1 }) as FindingMark;

describe('markers of findings', () => {
  it('are one where they would cover each other', () => {
    const found = markersOf([mark(100), mark(105), mark(119), mark(300), mark(5000)], stageOf([]));
    expect(found.map(({ at, marks }) => [at, marks.length])).toEqual([
      [100, 3],
      [300, 1],
    ]);
  });

  it('open what is under the pointer', () => {
    const open = vi.fn();
    const overlay = findingOverlay([mark(100), mark(105), mark(300)], open);
    expect(overlay.hit?.(200, TIMES, stageOf([]))).toBeNull();
    expect(overlay.hit?.(100, 2, stageOf([]))).toBeNull();
    const hit = overlay.hit?.(102, TIMES, stageOf([]));
    expect(hit?.tip.more).toHaveLength(2);
    hit?.act?.();
    expect(open).toHaveBeenCalledWith(expect.objectContaining({ rule: 'r100' }));
  });

  it('of 2000 findings are no more than there is room for', () => {
    const { pen, paths } = drawing();
    findingOverlay(
      Array.from({ length: 2000 }, (_, place) => mark(place / 2)),
      vi.fn(),
    ).draw(pen, stageOf([]));
    expect(paths.length).toBeLessThanOrEqual(50);
  });
});
