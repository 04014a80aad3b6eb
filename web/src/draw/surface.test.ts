// @vitest-environment happy-dom
// A canvas has the pixels of the screen, redraws are one per frame, and a change of the screen is noticed every time.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { onNextFrame, prepare, watchPixelRatio } from './surface';

afterEach(() => vi.unstubAllGlobals());

describe('a canvas', () => {
  const calls: [string, ...number[]][] = [];
  const context = {
    setTransform: (...numbers: number[]) => calls.push(['setTransform', ...numbers]),
    clearRect: (...numbers: number[]) => calls.push(['clearRect', ...numbers]),
  };
  const canvas = (): HTMLCanvasElement => {
    calls.length = 0;
    const made = document.createElement('canvas');
    made.getContext = (() => context) as unknown as typeof made.getContext;
    return made;
  };

  it('is as sharp as the screen, cleared, and drawn on in CSS pixels', () => {
    const made = canvas();
    expect(prepare(made, 100.4, 50, 2)).toBe(context);
    expect([made.width, made.height]).toEqual([201, 100]);
    expect(calls).toEqual([
      ['setTransform', 1, 0, 0, 1, 0, 0],
      ['clearRect', 0, 0, 201, 100],
      ['setTransform', 2, 0, 0, 2, 0, 0],
    ]);
  });

  it('has at least one pixel, and keeps its size where that is right', () => {
    const made = canvas();
    prepare(made, 0, 0, 1);
    expect([made.width, made.height]).toEqual([1, 1]);
    const resized = vi.spyOn(made, 'width', 'set');
    prepare(made, 1, 1, 1);
    expect(resized).not.toHaveBeenCalled();
  });

  it('may have no context', () => {
    const made = canvas();
    made.getContext = () => null;
    expect(prepare(made, 10, 10, 1)).toBeNull();
  });
});

describe('a redraw', () => {
  it('is made once in the next frame, however often it was asked for', () => {
    const frames: (() => void)[] = [];
    vi.stubGlobal('requestAnimationFrame', (draw: () => void) => frames.push(draw));
    vi.stubGlobal('cancelAnimationFrame', (frame: number) => (frames[frame - 1] = () => undefined));
    const draw = vi.fn();
    const scheduler = onNextFrame(draw);
    scheduler.request();
    scheduler.request();
    expect([frames.length, draw.mock.calls.length]).toEqual([1, 0]);
    frames[0]?.();
    expect(draw).toHaveBeenCalledTimes(1);
    scheduler.request();
    scheduler.cancel();
    frames[1]?.();
    expect(draw).toHaveBeenCalledTimes(1);
    scheduler.request();
    frames[2]?.();
    expect(draw).toHaveBeenCalledTimes(2);
  });
});

it('tells of every change of the screen until it is stopped', () => {
  const queries: { text: string; listeners: Set<() => void> }[] = [];
  vi.stubGlobal('devicePixelRatio', 1);
  vi.stubGlobal('matchMedia', (text: string) => {
    const query = { text, listeners: new Set<() => void>() };
    queries.push(query);
    return {
      addEventListener: (_: string, listener: () => void) => query.listeners.add(listener),
      removeEventListener: (_: string, listener: () => void) => query.listeners.delete(listener),
    };
  });
  const changed = vi.fn();
  const stop = watchPixelRatio(changed);
  vi.stubGlobal('devicePixelRatio', 2);
  queries[0]?.listeners.forEach((report) => report());
  expect(changed).toHaveBeenCalledTimes(1);
  expect(queries.map(({ text }) => text)).toEqual(['(resolution: 1dppx)', '(resolution: 2dppx)']);
  stop();
  expect(queries[1]?.listeners.size).toBe(0);
});
