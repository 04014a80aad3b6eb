// Percentiles as bands inside one another, with the middle one as a line.
import { describe, expect, it } from 'vitest';
import type { BandsPart } from '../api/histograms';
import { plotOf } from './fixture';
import { levelExtent, PercentilesLayer } from './percentiles';
import { recordingPen } from './recording-pen';

const part = (x: number[], ...levels: number[]): BandsPart =>
  ({
    kind: 'bands',
    shares: [0, 0.5, 1],
    slots: { first_x: Float64Array.from(x), last_x: Float64Array.from(x, (v) => v + 2) },
    levels: Float64Array.from(levels),
  }) as unknown as BandsPart;
const drawn = (bands: BandsPart) => {
  const { pen, paths } = recordingPen();
  new PercentilesLayer(bands, '#ff0000').draw(pen, plotOf([0, 100], [0, 100]));
  return paths;
};

describe('levelExtent', () => {
  it('is the lowest and highest of all', () => expect(levelExtent(part([0, 10], 1, 2, 9, -3, 4, 5))).toEqual([-3, 9]));
  it('is nothing without values', () => {
    expect(levelExtent(part([]))).toBeNull();
    expect(levelExtent(part([0], NaN, NaN, NaN))).toBeNull();
  });
});

describe('the layer', () => {
  it('goes along the upper end and back along the lower one, in the middle of its slots', () => {
    const [band, line] = drawn(part([0, 10], 10, 20, 40, 30, 50, 60));
    expect(band.corners).toEqual([
      [1, 60],
      [11, 40],
      [11, 70],
      [1, 90],
    ]);
    expect([band.fill === null, band.stroke]).toEqual([false, null]);
    expect([line.corners, line.stroke]).toEqual([
      [
        [1, 80],
        [11, 50],
      ],
      '#ff0000',
    ]);
  });
  it('makes one step alone a bar of four pixels', () => {
    const [band] = drawn(part([10], 10, 20, 40));
    expect(band.corners).toEqual([
      [9, 60],
      [13, 60],
      [13, 90],
      [9, 90],
    ]);
  });
});
