// Courses of counters in a chart: bands and lines, the value at a moment, and the step it lies in.
import { expect, test } from 'vitest';
import type { CounterCourse, CounterRow } from '$api';
import { coursePaths, stepOf, valueAt, valueRange, xOf } from './counter-layout';

const box = { from: 0, to: 10, width: 100, height: 42 };
function row(course: Partial<CounterCourse>, most = 0): CounterRow {
  const named = { name: 'use', process: 'GPU 0', worker: 'worker0', host: '', rank: null };
  const none = { samples: 1, least: 0, mean: 0, most, last: 0, step_mean: null, steps: [] };
  return { ...named, ...none, course: { ms: [], low: [], high: [], ends: [], ...course } };
}

test('charts begin at zero, or below', () => {
  expect(valueRange({ least: 20, most: 80 })).toEqual([0, 80]);
  expect(valueRange({ least: -5, most: -1 })).toEqual([-5, 0]);
  expect(valueRange({ least: 0, most: 0 })).toEqual([0, 1]);
});

test('a value holds until the next column, and what it reached is a band', () => {
  const one = row({ ms: [2, 5], low: [0, 80], high: [40, 80], ends: [40, 80] }, 80);
  const { band, line } = coursePaths(one, box);
  expect(band).toBe('M20 21H50V41H20Z');
  expect(line).toBe('M20 21H50L50 1H100');
});

test('a moment has the value before it', () => {
  const one = row({ ms: [2, 5], ends: [40, 80] });
  expect([1, 2, 4.9, 5, 9].map((ms) => valueAt(one, ms))).toEqual([null, 40, 40, 80, 80]);
  expect(valueAt(row({}), 3)).toBeNull();
});

test('steps and places', () => {
  const steps = [{ step: 7, start_ms: 1, end_ms: 4 }];
  expect([stepOf(steps, 0), stepOf(steps, 1), stepOf(steps, 4)]).toEqual([null, 7, null]);
  expect(xOf({ ...box, from: 5, to: 5 }, 5)).toBe(0);
});
