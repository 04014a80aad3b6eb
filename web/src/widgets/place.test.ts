// Panels stay inside the window.
import { expect, it } from 'vitest';
import { besideBox } from './place';

const screen = { width: 1000, height: 800 };
const panel = { width: 300, height: 200 };

it.each([
  ['below', { left: 100, top: 100, width: 50, height: 24 }, { left: 100, top: 128 }],
  ['above at the foot', { left: 100, top: 760, width: 50, height: 24 }, { left: 100, top: 556 }],
  ['shifted at the right', { left: 960, top: 10, width: 30, height: 24 }, { left: 692, top: 38 }],
])('%s', (_name, anchor, place) => {
  expect(besideBox(panel, anchor, screen)).toEqual(place);
});

it('starts at the top edge when nothing fits', () => {
  expect(besideBox({ width: 300, height: 900 }, { left: 0, top: 400, width: 9, height: 9 }, screen).top).toBe(8);
});
