// Gaps are drawn beside the name of their device and found there again.
import { describe, expect, it, vi } from 'vitest';
import type { GapRow } from '$api';
import { drawing, processRow, stageOf } from '../stage.fixture';
import { gapOverlay } from './gaps';

const gap = (process: string, start_us: number, end_us: number): GapRow => ({
  process,
  track: null,
  start_us,
  end_us,
  cause: 'input_wait',
  label: 'input wait',
  group: 'input_wait',
  row: 7,
  name: 'next',
});
const chosen = vi.fn();
const overlay = gapOverlay(
  [gap('GPU 0', 10, 30), gap('GPU 0', 60, 60.5), gap('GPU 0', 60.51, 60.52), gap('GPU 1', 0, 5)],
  chosen,
);
const stage = stageOf([processRow('host', 0), processRow('GPU 0', 100)], { window: [0, 100] });

describe('gaps', () => {
  it('are found beside their device only, narrow ones a little beside them', () => {
    expect(overlay.hit?.(200, 110, stage)?.tip).toMatchObject({ soft: 'input wait', below: 'next' });
    expect(overlay.hit?.(606, 110, stage)).not.toBeNull();
    expect(overlay.hit?.(450, 110, stage)).toBeNull();
    expect(overlay.hit?.(200, 10, stage)).toBeNull();
    expect(overlay.hit?.(200, 290, stage)).toBeNull();
  });

  it('lead to the span of the host meanwhile', () => {
    overlay.hit?.(200, 110, stage)?.act?.();
    expect(chosen).toHaveBeenCalledWith(7);
  });

  it('are boxes at their time, once a pixel, with their cause where there is room', () => {
    const { pen, boxes, texts } = drawing();
    overlay.draw(pen, stage);
    expect(boxes.map(([x, , width]) => [x, width])).toEqual([
      [100, 199],
      [600, 4],
    ]);
    expect(texts).toEqual(['input wait']);
  });
});
