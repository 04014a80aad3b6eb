// Keys lead from step to step and from gap to gap, whatever is in the middle of the window.
import { expect, it } from 'vitest';
import type { GapRow, TraceStep } from '$api';
import { besideGap, besideStep } from './jumps';

const step = (number: number, start: number, end: number): TraceStep => ({
  step: number,
  start_us: start,
  end_us: end,
  typical: true,
});
const steps = [step(4, 100, 200), step(5, 200, 300), step(6, 400, 500)];

it('the step beside the one in the middle is shown, and none at the ends', () => {
  expect(besideStep(steps, [210, 230], true)?.step).toBe(6);
  expect(besideStep(steps, [210, 230], false)?.step).toBe(4);
  expect(besideStep(steps, [110, 120], false)).toBeNull();
  expect(besideStep(steps, [410, 420], true)).toBeNull();
});

it('between steps, the nearest on that side is shown', () => {
  expect(besideStep(steps, [340, 360], true)?.step).toBe(6);
  expect(besideStep(steps, [340, 360], false)?.step).toBe(5);
  expect(besideStep(steps, [0, 50], true)?.step).toBe(4);
  expect(besideStep([], [0, 50], true)).toBeNull();
});

it('gaps of several devices are walked in the order of time', () => {
  const gaps = [500, 900, 100, 700].map((start_us) => ({ start_us, end_us: start_us + 10 }) as GapRow);
  expect(besideGap(gaps, 500, true)?.start_us).toBe(700);
  expect(besideGap(gaps, 500, false)?.start_us).toBe(100);
  expect(besideGap(gaps, 900, true)).toBeNull();
  expect(besideGap([], 0, true)).toBeNull();
});
