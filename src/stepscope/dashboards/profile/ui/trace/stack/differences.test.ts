// A step that takes longer than its twin says by how much at the end of its box, where there is room.
import { describe, expect, it } from 'vitest';
import type { TraceStep } from '$api';
import { drawing, stageOf } from '../stage.fixture';
import { differenceOverlay, differenceText } from './differences';

const steps: TraceStep[] = [0, 1, 2].map((step) => ({
  step,
  start_us: step * 300,
  end_us: (step + 1) * 300,
  typical: true,
}));

describe('differences', () => {
  it('have a sign and a unit', () => {
    expect(differenceText(1500)).toBe('+1.5\u202fms');
    expect(differenceText(-1500)).toBe('−1.5\u202fms');
    expect(differenceText(0)).toBe('±0');
  });

  it('are on the ruler for steps that have a twin', () => {
    const { pen, texts } = drawing();
    const differences = new Map([
      [0, 30],
      [2, -20],
    ]);
    differenceOverlay(steps, differences).draw(pen, stageOf([]));
    expect(texts).toEqual([differenceText(30), differenceText(-20)]);
  });

  it('are left out where steps have no room', () => {
    const { pen, texts } = drawing();
    differenceOverlay(steps, new Map([[1, 30]])).draw(pen, stageOf([], { width: 90 }));
    expect(texts).toEqual([]);
  });
});
