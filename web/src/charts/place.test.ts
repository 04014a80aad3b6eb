// A tooltip is whole on the screen wherever the pointer is.
import { describe, expect, it } from 'vitest';
import { placeTooltip } from './place';

const room = { width: 1280, height: 800 };

describe('placeTooltip', () => {
  it('stands right of and below the pointer', () =>
    expect(placeTooltip({ x: 100, y: 100 }, { width: 200, height: 90 }, room)).toEqual({ left: 114, top: 114 }));
  it('changes sides at the edges', () =>
    expect(placeTooltip({ x: 1200, y: 780 }, { width: 200, height: 90 }, room)).toEqual({ left: 986, top: 676 }));
  it('never leaves the screen', () => {
    for (const x of [0, 3, 640, 1279]) {
      for (const width of [50, 560, 1264]) {
        const { left } = placeTooltip({ x, y: 0 }, { width, height: 10 }, room);
        expect(left).toBeGreaterThanOrEqual(8);
        expect(left + width).toBeLessThanOrEqual(1280 - 8);
      }
    }
  });
});
