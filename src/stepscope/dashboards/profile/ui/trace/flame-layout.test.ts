// Calls lie below their callers, as wide as their time, the longest first; a chosen call fills the width.
import { describe, expect, it } from 'vitest';
import type { CallRow } from '$api';
import { boxBeside, callersOf, layOutCalls, type FlameBox } from './flame-layout';

const call = (name: string, parent: number | null, level: number, wall_us: number): CallRow => ({
  name,
  parent,
  level,
  group: 4,
  count: 1,
  wall_us,
  self_us: 0,
  share: wall_us / 100,
});
const rows = [
  call('step', null, 0, 80),
  call('other', null, 0, 20),
  call('forward', 0, 1, 50),
  call('backward', 0, 1, 20),
  call('mm', 2, 2, 40),
  call('tiny', 2, 2, 0.01),
];
const edges = (boxes: readonly FlameBox[]): Record<string, [number, number]> =>
  Object.fromEntries(boxes.map(({ row, left, right }) => [rows[row]?.name ?? '', [left, right]]));

describe('a flame graph', () => {
  it('has calls below their callers', () => {
    const boxes = edges(layOutCalls(rows, 100, null, 0.001));
    expect(boxes).toEqual({
      step: [0, 0.8],
      other: [0.8, 1],
      forward: [0, 0.5],
      backward: [0.5, 0.7],
      mm: [0, 0.4],
    });
  });

  it('leaves out what is too narrow, and what is below it', () => {
    expect(Object.keys(edges(layOutCalls(rows, 100, null, 0.3)))).toEqual(['step', 'forward', 'mm']);
  });

  it('shows a chosen call as wide as everything, with its callers above it', () => {
    expect(edges(layOutCalls(rows, 100, 2, 0.001))).toEqual({ step: [0, 1], forward: [0, 1], mm: [0, 0.8] });
  });

  it('is walked by arrows', () => {
    const boxes = layOutCalls(rows, 100, null, 0.001);
    const at = (row: number): FlameBox => {
      const found = boxes.find((box) => box.row === row);
      if (found === undefined) throw new Error(`no box ${row}`);
      return found;
    };
    expect(boxBeside(boxes, rows, at(2), 'ArrowUp')?.row).toBe(0);
    expect(boxBeside(boxes, rows, at(0), 'ArrowDown')?.row).toBe(2);
    expect(boxBeside(boxes, rows, at(2), 'ArrowRight')?.row).toBe(3);
    expect(boxBeside(boxes, rows, at(2), 'ArrowLeft')).toBeUndefined();
  });

  it('knows the callers of a row', () => {
    expect(callersOf(rows, 4)).toEqual([4, 2, 0]);
    expect(callersOf(rows, null)).toEqual([]);
  });
});
