// The memory chart's axis, stacks and the point under the cursor.
// Where bytes, steps and layers of the memory timeline are drawn.
import { expect, it } from 'vitest';
import { axisTop, byteTicks, pointAt, stacked, stepAt } from './memory-layout';

it('ticks are multiples of a power of two', () => {
  expect(byteTicks(1000)).toEqual([0, 256, 512, 768]);
  expect(byteTicks(1300)).toEqual([0, 512, 1024]);
  expect(byteTicks(1024)).toEqual([0, 256, 512, 768, 1024]);
  expect(byteTicks(3)).toEqual([0, 1, 2, 3]);
  expect(byteTicks(0)).toEqual([0]);
  expect(byteTicks(NaN)).toEqual([0]);
});

it("the axis ends above the level, and at the device's size when that is near", () => {
  expect(axisTop([10, 100], null, null)).toBeCloseTo(105);
  expect(axisTop([10, 100], [200, 180], null)).toBeCloseTo(210);
  expect(axisTop([100], null, 140)).toBeCloseTo(147);
  expect(axisTop([100], null, 1000)).toBeCloseTo(105);
  expect(axisTop([100], [900], 1000)).toBeCloseTo(105);
  expect(axisTop([0], null, null)).toBeGreaterThan(0);
});

it('layers are stacked, and what is below zero takes nothing away', () => {
  const layers = [
    { name: 'a', bytes: [1, 2] },
    { name: 'b', bytes: [10, -5] },
    { name: 'c', bytes: [0, 4] },
  ];
  expect(stacked(layers, 2)).toEqual([
    [1, 2],
    [11, 2],
    [11, 6],
  ]);
});

it('a point holds until the next', () => {
  const ms = [0, 5, 5, 9];
  expect([-1, 0, 4.9, 5, 8, 100].map((time) => pointAt(ms, time))).toEqual([0, 0, 0, 2, 2, 3]);
});

it('a time lies in the last step that began', () => {
  const steps = [
    { step: 5, ms: 1 },
    { step: 6, ms: 4 },
  ];
  expect([0, 1, 3, 4].map((time) => stepAt(steps, time))).toEqual([null, 5, 5, 6]);
});
