// @vitest-environment happy-dom
// What the pointer and the keyboard point at.
import { describe, expect, it } from 'vitest';
import { inks } from '../style/theme';
import { curveOf, optionsOf } from './fixture';
import { describeX, hoverAt, hoverOn, nextCurve, stepAlong } from './hover';
import { buildScene } from './scene';

const curves = [curveOf([0, 10, 20], { key: 'a', label: 'a' }), curveOf([5, 5, 5], { key: 'b', label: 'b' })];
const options = optionsOf();
const scene = buildScene(curves, options, { width: 480, height: 260 }, inks.light);
const at = (x: number, y: number) => ({ x: scene.plot.x.map(x), y: scene.plot.y.map(y) });

describe('hoverAt', () => {
  it('takes the nearest line and jumps to its sample when that is close', () => {
    const near = at(1, 10);
    const found = hoverAt(scene, options, { x: near.x + 10, y: near.y }, null, 1);
    expect([found.nearest?.index, found.x]).toEqual([0, 1]);
    expect(found.rows.map(({ value }) => value)).toEqual([10, 5]);
  });
  it('stays under the pointer far from every sample', () => {
    const found = hoverAt(scene, options, at(1.5, 15), null, 1);
    expect(found.x).toBeCloseTo(1.5);
  });
});

describe('the keyboard', () => {
  it('steps along a line and stays on it', () => {
    expect([1, -1, 9, -9].map((by) => stepAlong(scene, 0, 1, by))).toEqual([2, 0, 2, 0]);
    expect(stepAlong(buildScene([curveOf([])], options, { width: 480, height: 260 }, inks.light), 0, 1, 1)).toBeNull();
  });
  it('goes to the line above or below, as long as there is one', () => {
    expect([nextCurve(scene, 0, 0, true), nextCurve(scene, 0, 2, false)]).toEqual([1, 1]);
    expect([nextCurve(scene, 0, 2, true), nextCurve(scene, 1, 2, false)]).toEqual([0, 1]);
  });
  it('points at a value of a line', () => {
    expect(hoverOn(scene, options, 0, 2)).toMatchObject({ x: 2, at: at(2, 20), nearest: { index: 0, value: 20 } });
    expect(hoverOn(scene, options, 7, 2)).toBeNull();
  });
});

it('says where it is by the axis', () => {
  expect(describeX(12345, 'step', 'step')).toBe(`step ${(12345).toLocaleString('en').replace(',', '\u202f')}`);
  expect(describeX(0.5, 'tag', 'epoch')).toContain('epoch');
  expect(describeX(90, 'relative', 'step')).not.toContain('step');
});
