// Steps on screen have borders behind the tracks and a box with a number on the ruler, as far as there is room.
import { describe, expect, it } from 'vitest';
import type { TraceStep } from '$api';
import { drawing, stageOf } from '../stage.fixture';
import { bandOverlay, boxesOf, stepOverlay, stepsIn } from './steps';

const steps: TraceStep[] = Array.from({ length: 10 }, (_, step) => ({
  step,
  start_us: step * 100,
  end_us: (step + 1) * 100,
  typical: step !== 0,
}));

describe('steps', () => {
  it('are numbered on the ruler', () => {
    expect(stepsIn(steps, [150, 301]).map(({ step }) => step)).toEqual([1, 2, 3]);
    const { pen, texts } = drawing();
    stepOverlay(steps).draw(pen, stageOf([]));
    expect(texts).toEqual(steps.map(({ step }) => `Step ${step}`));
  });

  it('have no numbers where they have no room', () => {
    const { pen, texts, boxes } = drawing();
    stepOverlay(steps).draw(pen, stageOf([], { width: 60 }));
    expect(texts).toEqual([]);
    expect(boxes.length).toBe(10);
  });

  it('share a box where many begin in one pixel, which is marked if one of them is', () => {
    const many = Array.from({ length: 40_000 }, (_, step) => ({
      step,
      start_us: step,
      end_us: step + 1,
      typical: step !== 20_000,
    }));
    const boxes = boxesOf(many, { map: (us) => us / 40 }, 1000);
    expect(boxes.length).toBe(1000);
    expect(boxes.filter(({ typical }) => !typical).map(({ from, to }) => [from, to])).toEqual([[500, 501]]);
    expect(boxes.every(({ step }) => step === null)).toBe(true);
  });

  it('have borders unless they would cover everything', () => {
    const few = drawing();
    bandOverlay(steps).draw(few.pen, stageOf([]));
    expect(few.boxes.map(([x]) => x)).toEqual(steps.flatMap(({ start_us, end_us }) => [start_us, end_us]));
    const many = drawing();
    bandOverlay(steps).draw(many.pen, stageOf([], { width: 50 }));
    expect(many.boxes).toEqual([]);
  });
});
