// A logged series is drawn in the unit that fits, on an axis that hides neither growth nor steadiness.
import { expect, test } from 'vitest';
import type { SeriesPart } from '$web/api/series';
import type { LoggedMemoryRow, TrendEnd } from '$api';
import { bytesShown, curveOf, guidesOf, isOverTime, unitFor } from './logged-layout';

const GIB = 1024 ** 3;
const end = (step: number, bytes: number): TrendEnd => ({ step, time: 1000 + step, bytes });
const LOGGED: LoggedMemoryRow = {
  run: 'train',
  tag: 'system/gpu/0/memory_used_mib',
  name: 'GPU 0',
  unit: 'MiB',
  marked: false,
  sentence: '',
  growth: '',
  source: '',
  last_bytes: 4 * GIB,
  last_step: 90,
  last_time: 1090,
  peak_bytes: 5 * GIB,
  peak_step: 40,
  peak_time: 1040,
  capacity_bytes: 16 * GIB,
  used: 0.25,
  points: 10,
  restarts: 1,
  restarted: [{ step: 50, time: 1050 }],
  trend: { over: 'step', first: end(50, 3 * GIB), last: end(90, 4 * GIB) },
  bytes_per_step: null,
  bytes_per_hour: null,
  judged_points: 5,
  judged_hours: 1,
  rising: 1,
  verdict: 'grows',
  doubt: null,
  full: null,
};

test('the unit is the largest of which the peak has one', () => {
  expect([900, 2048, 3e6, 5 * GIB, 3e12].map((peak) => unitFor(peak).name)).toEqual(['B', 'KiB', 'MiB', 'GiB', 'TiB']);
});

test('points are drawn in that unit, whatever they were logged in', () => {
  const numbers = (values: number[]): Float64Array => Float64Array.from(values);
  const part = { x: numbers([0, 1]), y: numbers([2048, 5120]), segment: new Int32Array(2), marks: null } as SeriesPart;
  const curve = curveOf(part, LOGGED, unitFor(5 * GIB), '#000');
  expect([...curve.y]).toEqual([2, 5]);
  expect(curve.yExtent).toEqual([2, 5]);
});

test('the axis begins at 0 only for points that come near it', () => {
  expect(bytesShown(1, 10, null)[0]).toBe(0);
  const [from, to] = bytesShown(9, 10, null);
  expect(from).toBeGreaterThan(8);
  expect(to).toBeLessThan(11);
});

test('noise of a steady series stays small', () => {
  const [from, to] = bytesShown(99.9, 100, null);
  expect(to - from).toBeGreaterThan(15);
});

test('the size of the memory is shown when it is near', () => {
  expect(bytesShown(1, 10, 15)[1]).toBeGreaterThan(15);
  expect(bytesShown(1, 10, 80)[1]).toBeLessThan(15);
});

test('a memory of which nothing was used has an axis all the same', () => {
  expect(bytesShown(0, 0, null)).toEqual([0, 1]);
});

test('peak, size, slope and restart stand beside the points', () => {
  const guides = guidesOf(LOGGED, unitFor(5 * GIB));
  expect(guides.levels?.[0]).toMatchObject({ y: 16, tone: 'red' });
  expect(guides.lines?.[0]).toEqual({ from: [50, 3], to: [90, 4], tone: 'amber' });
  expect(guides.moments).toEqual([{ x: 50, label: 'restart' }]);
  expect(guides.points?.[0]).toMatchObject({ x: 40, y: 5 });
});

test('without a verdict no slope is drawn', () => {
  expect(guidesOf({ ...LOGGED, verdict: 'cannot_tell' }, unitFor(GIB)).lines).toEqual([]);
});

test('while steps stay the same everything is placed by time', () => {
  const logged: LoggedMemoryRow = { ...LOGGED, trend: { over: 'time', first: end(50, GIB), last: end(90, GIB) } };
  expect(isOverTime(logged)).toBe(true);
  expect(guidesOf(logged, unitFor(GIB)).points?.[0]?.x).toBe(1040);
  expect(guidesOf(logged, unitFor(GIB)).moments?.[0]?.x).toBe(1050);
});
