// Drags move, select or zoom; short ones are clicks; two fingers and the wheel zoom around what is under them.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Gestures, type Ground } from './gestures.svelte';
import type { Window } from './window';

let shown: Window;
const ground = {
  shown: () => shown,
  width: () => 1000,
  limits: () => [0, 10_000],
  point: ({ clientX, clientY }: MouseEvent) => ({ x: clientX, y: clientY }),
  scrolled: () => 100,
  scrollTo: vi.fn(),
  show: vi.fn((window: Window) => (shown = window)),
  focus: vi.fn(),
  hover: vi.fn(),
  click: vi.fn(),
  select: vi.fn(),
} satisfies Ground;
let gestures: Gestures;

const at = (clientX: number, clientY = 0, pointerId = 1): PointerEvent =>
  ({
    button: 0,
    clientX,
    clientY,
    pointerId,
    currentTarget: { setPointerCapture: () => undefined },
  }) as unknown as PointerEvent;
const wheel = (more: Partial<WheelEvent>): WheelEvent =>
  ({ clientX: 500, clientY: 0, deltaX: 0, deltaY: 0, preventDefault: vi.fn(), ...more }) as unknown as WheelEvent;

beforeEach(() => {
  vi.clearAllMocks();
  shown = [2000, 3000];
  gestures = new Gestures(ground);
});

describe('a drag', () => {
  it('moves the window and the tracks with the pointer', () => {
    gestures.down(at(500, 50), 'pan');
    gestures.move(at(400, 20), false);
    expect(shown).toEqual([2100, 3100]);
    expect(ground.scrollTo).toHaveBeenCalledWith(130);
    gestures.up(at(400, 20));
    expect(ground.click).not.toHaveBeenCalled();
  });

  it('selects a stretch of time, in either direction', () => {
    gestures.down(at(500), 'area');
    gestures.move(at(200), false);
    expect(gestures.area).toEqual([2200, 2500]);
    gestures.up(at(200));
    expect(ground.select).toHaveBeenCalledWith([2200, 2500]);
    expect(gestures.area).toBeNull();
  });

  it('shows what is dragged over on the ruler', () => {
    gestures.down(at(250), 'zoom');
    gestures.up(at(500));
    expect(shown).toEqual([2250, 2500]);
  });

  it('of a pixel is a click, and one that is cancelled is nothing', () => {
    gestures.down(at(250, 10), 'pan');
    gestures.up(at(251, 10));
    expect(ground.click).toHaveBeenCalledWith({ x: 251, y: 10 }, false);
    gestures.down(at(250), 'area');
    gestures.cancel();
    gestures.up(at(900));
    expect(ground.select).not.toHaveBeenCalled();
  });
});

describe('two fingers', () => {
  it('zoom around what is between them, and move it with them', () => {
    gestures.down(at(500), 'pan');
    gestures.down(at(600, 0, 2), 'pan');
    gestures.move(at(700, 0, 2), false);
    expect(shown[1] - shown[0]).toBeCloseTo(500);
    expect(shown[0] + 0.6 * 500).toBeCloseTo(2550);
    gestures.move(at(600), false);
    expect(shown[1] - shown[0]).toBeCloseTo(1000);
    expect(shown[0] + 0.65 * 1000).toBeCloseTo(2550);
  });

  it('become one that moves on, and a tap is no click', () => {
    gestures.down(at(500), 'pan');
    gestures.down(at(600, 0, 2), 'pan');
    gestures.up(at(600, 0, 2));
    gestures.move(at(400), false);
    expect(shown).toEqual([2100, 3100]);
    gestures.up(at(400));
    expect(ground.click).not.toHaveBeenCalled();
  });
});

it('the wheel zooms with Ctrl, moves with Shift and is left to the page otherwise', () => {
  const zoom = wheel({ ctrlKey: true, deltaY: -100 });
  gestures.wheel(zoom);
  expect(zoom.preventDefault).toHaveBeenCalled();
  expect(shown[1] - shown[0]).toBeCloseTo(1000 * Math.exp(-0.4));
  expect((shown[0] + shown[1]) / 2).toBeCloseTo(2500);
  shown = [2000, 3000];
  gestures.wheel(wheel({ shiftKey: true, deltaY: 100 }));
  expect(shown).toEqual([2100, 3100]);
  const plain = wheel({ deltaY: 100 });
  gestures.wheel(plain);
  expect(plain.preventDefault).not.toHaveBeenCalled();
});

it('without a drag, what is under the pointer is looked for', () => {
  gestures.move(at(10, 20), true);
  expect(ground.hover).toHaveBeenCalledWith({ x: 10, y: 20 }, true);
});
