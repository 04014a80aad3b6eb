// A plan is drawn as steps in program order, whatever was left out of it.
import { expect, test } from 'vitest';
import type { ProgramMemoryRow } from '$api';
import { eventOf, planCurve } from './plan-curve';

const PROGRAM: ProgramMemoryRow = {
  name: 'jit_f',
  worker: 'vm',
  host: 'vm',
  rank: null,
  total_bytes: 0,
  parameter_bytes: 0,
  output_bytes: 0,
  constant_bytes: 0,
  temporary_bytes: 0,
  thread_local_bytes: 0,
  aliased_bytes: 0,
  peak_bytes: 2048,
  peak_instruction: 'dot',
  at_peak: [],
  at_peak_left_out_bytes: 0,
  events: 10,
  level_bytes: [1024, 2048],
  peak: 1,
};

test('each level holds until the next', () => {
  const curve = planCurve(PROGRAM, 1024, '#000');
  expect([...curve.x]).toEqual([0, 5, 5, 10]);
  expect([...curve.y]).toEqual([1, 1, 2, 2]);
  expect(curve.xExtent).toEqual([0, 10]);
});

test('a program without a plan has no points', () => {
  expect(planCurve({ ...PROGRAM, level_bytes: [], events: 0, peak: null }, 1, '#000').x).toHaveLength(0);
  expect(eventOf({ ...PROGRAM, level_bytes: [], events: 0 }, 3)).toBe(0);
});
