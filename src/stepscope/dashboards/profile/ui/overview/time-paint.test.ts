// Groups of a step are stacked from below in their order, in pixels of their time, and untraced time is hatched.
import { beforeEach, expect, it } from 'vitest';
import type { Pen } from '$web/draw/layer';
import { timeColours } from '$web/style/theme';
import { GROUP_ORDER } from '../groups';
import { paintStack } from './time-paint';

let boxes: { colour: unknown; box: number[] }[] = [];
let hatched: number[][] = [];
const pen = {
  fillStyle: '',
  fillRect: (...box: number[]) => boxes.push({ colour: pen.fillStyle, box }),
  rect: (...box: number[]) => hatched.push(box),
  ...Object.fromEntries(
    ['save', 'restore', 'beginPath', 'clip', 'moveTo', 'lineTo', 'stroke'].map((name) => [name, () => undefined]),
  ),
} as unknown as Pen & { fillStyle: string };

beforeEach(() => {
  [boxes, hatched] = [[], []];
});
const paint = (groups: number[], width = 10, top = 0): void =>
  paintStack(pen, groups, { x: 5, width }, { bottom: 100, top, scale: 10 }, 'dark');

it('stacks what has time', () => {
  paint([3, 0, 2, 1]);
  expect(boxes.map(({ box }) => box)).toEqual([
    [5, 70, 10, 30],
    [5, 50, 10, 20],
    [5, 40, 10, 10],
  ]);
  const places = [0, 2, 3].map((place) => GROUP_ORDER[place]);
  expect(boxes.map(({ colour }) => colour)).toEqual(places.map((group) => group && timeColours.dark[group]));
});

it('ends at the top', () => {
  paint([6, 6, 6], 10, 20);
  expect(boxes.map(({ box }) => box)).toEqual([
    [5, 40, 10, 60],
    [5, 20, 10, 20],
  ]);
});

it('hatches untraced time where there is room for it', () => {
  const untraced = GROUP_ORDER.map((group) => (group === 'untraced' ? 2 : 0));
  paint(untraced);
  expect(hatched).toEqual([[5, 80, 10, 20]]);
  paint(untraced, 3);
  expect([hatched.length, boxes.length]).toEqual([1, 2]);
});
