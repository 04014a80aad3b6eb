// An arrow begins and ends at its spans, and is left out when one of them is folded away.
import { describe, expect, it } from 'vitest';
import type { Pen } from '$web/draw/layer';
import { drawArrows, type Arrow } from './arrows';
import { LINE, type Row } from './track-rows';

const rows = [0, 1].map((id) => ({
  kind: 'track',
  key: `t:${id}`,
  track: { id },
  lines: 2,
  y: id * 100,
  height: 40,
})) as unknown as Row[];

function points(arrows: Arrow[]): number[][] {
  const found: number[][] = [];
  const pen = {
    beginPath: () => undefined,
    moveTo: (x: number, y: number) => found.push([x, y]),
    lineTo: (x: number, y: number) => found.push([x, y]),
    stroke: () => undefined,
    closePath: () => undefined,
    fill: () => undefined,
  } as unknown as Pen;
  drawArrows(pen, arrows, { rows, window: [0, 100], width: 1000, left: 10, top: 5, colour: '#000000' });
  return found;
}

describe('arrows', () => {
  it('lead from the cause to what it caused', () => {
    const [first, , , last] = points([{ from: { track: 0, line: 1, time: 10 }, to: { track: 1, line: 0, time: 50 } }]);
    expect(first).toEqual([110, LINE * 1.5 - 5]);
    expect(last).toEqual([510, 100 + LINE / 2 - 5]);
  });

  it('are left out without one of their ends', () => {
    expect(points([{ from: { track: 0, line: 0, time: 10 }, to: { track: 9, line: 0, time: 50 } }])).toEqual([]);
  });
});
