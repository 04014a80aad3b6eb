// Gaps are drawn beside the name of their device and found there again.
import { describe, expect, it } from 'vitest';
import type { Pen } from '$web/draw/layer';
import type { GapRow } from '$api';
import { drawGaps, gapAt, gapsByProcess } from './gaps';
import type { Row } from './track-rows';

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
const gaps = gapsByProcess([
  gap('GPU 0', 10, 30),
  gap('GPU 0', 60, 60.5),
  gap('GPU 0', 60.51, 60.52),
  gap('GPU 1', 0, 5),
]);
const rows = [
  { kind: 'process', key: 'p:host', name: 'host', y: 0, height: 26 },
  { kind: 'process', key: 'p:GPU 0', name: 'GPU 0', y: 100, height: 26 },
] as unknown as Row[];

describe('gaps', () => {
  it('are found beside their device only, narrow ones a little beside them', () => {
    expect(gapAt(gaps, rows, 110, 20, 1)?.start_us).toBe(10);
    expect(gapAt(gaps, rows, 110, 61, 1)?.start_us).toBe(60);
    expect(gapAt(gaps, rows, 110, 45, 1)).toBeNull();
    expect(gapAt(gaps, rows, 10, 20, 1)).toBeNull();
    expect(gapAt(gaps, rows, 300, 20, 1)).toBeNull();
  });

  it('are boxes at their time, once a pixel, with their cause where there is room', () => {
    const boxes: number[][] = [];
    const texts: string[] = [];
    const pen = {
      fillRect: (...box: number[]) => boxes.push(box),
      fillText: (text: string) => texts.push(text),
    } as unknown as Pen;
    drawGaps(pen, gaps, rows, { window: [0, 100], width: 1000, top: 0, theme: 'light', text: '#000000' });
    expect(boxes.map(([x, , width]) => [x, width])).toEqual([
      [100, 199],
      [600, 4],
    ]);
    expect(texts).toEqual(['input wait']);
  });
});
