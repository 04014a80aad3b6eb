// Drags, wheel turns and keys become the ranges one expects.
import { describe, expect, it } from 'vitest';
import { dragKind, keyZoom, panTo, rangeOf, wheelZoom, zoomBox, zoomTo } from './gestures';
import { plotOf } from './fixture';

const plot = plotOf([0, 1000], [0, 10]);
const at = (x: number, y: number) => ({ x, y });

describe('drag', () => {
  it('knows its kind by the keys held', () => {
    expect(dragKind({ shiftKey: false, altKey: false })).toBe('zoom');
    expect(dragKind({ shiftKey: true, altKey: false })).toBe('pan');
    expect(dragKind({ shiftKey: false, altKey: true })).toBe('range');
  });
  it('zooms x when it is flat, y when it is upright, both when it is a box', () => {
    expect(zoomTo(at(80, 50), at(20, 55), plot)).toEqual({ x: [200, 800], y: null });
    expect(zoomTo(at(50, 20), at(52, 70), plot)).toEqual({ x: null, y: [3, 8] });
    expect(zoomTo(at(10, 20), at(60, 70), plot)).toEqual({ x: [100, 600], y: [3, 8] });
  });
  it('stays inside the plot', () => {
    const box = zoomBox(at(50, 50), at(500, 52), plot.area);
    expect(box).toEqual({ left: 50, right: 100, top: 0, bottom: 100, axes: 'x' });
  });
  it('pans the way the hand moves', () => {
    expect(panTo(at(50, 50), at(60, 50), plot)).toEqual({ x: [-100, 900], y: null });
    expect(panTo(at(50, 50), at(50, 80), plot).y).toEqual([3, 13]);
  });
  it('marks a range in ascending order', () => expect(rangeOf(at(90, 0), at(30, 99), plot)).toEqual([300, 900]));
});

describe('wheel and keys', () => {
  it('zooms in around the pointer and out again', () => {
    const [low, high] = wheelZoom(plot, -100, 25);
    expect(low).toBeGreaterThan(0);
    expect(high).toBeLessThan(1000);
    expect((250 - low) / (high - low)).toBeCloseTo(0.25);
    const [outLow, outHigh] = wheelZoom(plot, 100, 25);
    expect(outHigh - outLow).toBeGreaterThan(1000);
  });
  it('is not thrown off by a huge wheel turn', () => {
    const [low, high] = wheelZoom(plot, 1e9, 50);
    expect(high - low).toBeLessThan(3000);
  });
  it('zooms around the cursor when it is in view, else the middle', () => {
    const [low, high] = keyZoom(plot, true, 0);
    expect([low, high]).toEqual([0, 600]);
    expect(keyZoom(plot, true, 5000)).toEqual([200, 800]);
    expect(keyZoom(plot, false, null)[0]).toBeLessThan(0);
  });
});
