// Images have an address of their own and stay where the pointer holds them.
import { describe, expect, it } from 'vitest';
import { imageAddress } from './answers';
import { FIT, fitScale, moved, zoomed } from './zoom';

it('names an image by its step, wall time and sample', () => {
  const steps = { samples: 3, step: Float64Array.of(0, 10), wall: Float64Array.of(100, 130), origin: 100 };
  expect(imageAddress({ run: 'abc', tag: 'x' }, steps, 1, 2, true)).toBe(
    'images/image?run=abc&tag=x&step=10&wall=130&fold=true&sample=2',
  );
});

describe('zoom', () => {
  it('keeps what is under the pointer where it is', () => {
    const zoom = zoomed(zoomed(FIT, 2, [50, -20]), 3, [50, -20]);
    expect(zoom.factor).toBe(6);
    // The point that was at (50, -20) with factor 1 is 6 times as far from the image's middle now.
    expect([zoom.shift[0] + 6 * 50, zoom.shift[1] + 6 * -20]).toEqual([50, -20]);
    expect(moved(zoom, 1, 2).shift).toEqual([zoom.shift[0] + 1, zoom.shift[1] + 2]);
  });

  it('has limits, and fits into the smaller side', () => {
    expect(zoomed(FIT, 1e9).factor).toBe(200);
    expect(zoomed(FIT, 0).factor).toBe(0.1);
    expect(fitScale([800, 600], [1600, 600])).toBe(0.5);
    expect(fitScale([800, 600], [0, 0])).toBe(0);
  });
});
