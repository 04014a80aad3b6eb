// Profiles start together at the chosen steps, and steps are compared with those at the same distance from them.
import { describe, expect, it } from 'vitest';
import type { TraceStep } from '$api';
import { startsOf, stepAt, stepDifferences } from './aligned-steps';

const step = (number: number, start_us: number, end_us: number, typical = true): TraceStep => ({
  step: number,
  start_us,
  end_us,
  typical,
});
const SLOW = [step(5, 100, 400, false), step(6, 400, 500), step(7, 500, 600)];
const FAST = [step(1, 0, 80), step(2, 80, 170), step(3, 170, 250)];

describe('the step to begin with', () => {
  it('is the first typical one', () => {
    expect(stepAt(SLOW, null)?.step).toBe(6);
    expect(stepAt(FAST, null)?.step).toBe(1);
  });

  it('is the chosen one where there is such a step', () => {
    expect(stepAt(SLOW, 7)?.step).toBe(7);
    expect(stepAt(SLOW, 99)?.step).toBe(6);
  });

  it('is an outlier where no other is there, and none without steps', () => {
    expect(stepAt(SLOW.slice(0, 1), null)?.step).toBe(5);
    expect(stepAt([], 3)).toBeNull();
  });
});

describe('the axis of both', () => {
  it('has the chosen steps at one time and nothing before 0', () => {
    const [one, other] = startsOf(stepAt(SLOW, null), stepAt(FAST, null));
    expect([one, other]).toEqual([0, 400]);
    expect(startsOf(stepAt(FAST, 2), stepAt(SLOW, null))).toEqual([320, 0]);
  });

  it('of profiles without steps begins with both', () => {
    expect(startsOf(null, null)).toEqual([0, 0]);
  });
});

describe('differences of step time', () => {
  it('are between steps at the same distance from the chosen ones', () => {
    const found = stepDifferences(SLOW, stepAt(SLOW, null), FAST, stepAt(FAST, null));
    expect([...found]).toEqual([
      [1, -20],
      [2, -10],
    ]);
  });

  it('are those of no step without steps', () => {
    expect(stepDifferences([], null, FAST, stepAt(FAST, null)).size).toBe(0);
  });
});
