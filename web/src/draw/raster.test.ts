// The CPU raster draws unbroken lines, clips them, and knows which line is where.
import { describe, expect, it } from 'vitest';
import { makeRaster, packColour, pickRaster, rasterLine } from './raster';

const rows = (raster: ReturnType<typeof makeRaster>): string[] =>
  Array.from({ length: raster.height }, (_, row) =>
    Array.from({ length: raster.width }, (_, column) => raster.ids[row * raster.width + column] || '.').join(''),
  );

describe('rasterLine', () => {
  it('draws a steep line without gaps', () => {
    const raster = makeRaster(4, 6);
    rasterLine(raster, 0.5, 0, 2.5, 5, 1, 1);
    const filled = rows(raster).map((row) => row.includes('1'));
    expect(filled).toEqual([true, true, true, true, true, true]);
    expect(rows(raster)[0][0]).toBe('1');
    expect(rows(raster)[5][2]).toBe('1');
  });
  it('draws a vertical line within one column', () => {
    const raster = makeRaster(3, 4);
    rasterLine(raster, 1.2, 3, 1.8, 1, 1, 7);
    expect(rows(raster)).toEqual(['...', '.7.', '.7.', '.7.']);
  });
  it('clips what is outside and keeps the slope', () => {
    const raster = makeRaster(4, 4);
    rasterLine(raster, -4, -4, 8, 8, 1, 1);
    expect(rows(raster).map((row, i) => row[i])).toEqual(['1', '1', '1', '1']);
    rasterLine(raster, 20, 0, 30, 4, 1, 2);
    rasterLine(raster, 0, -90, 3, -80, 1, 3);
    expect(rows(raster).join('')).not.toMatch(/[23]/);
  });
});

describe('pickRaster', () => {
  it('finds the nearest line within the radius, the last drawn on top', () => {
    const raster = makeRaster(20, 20);
    rasterLine(raster, 0, 5, 20, 5, 1, 1);
    rasterLine(raster, 0, 12, 20, 12, 1, 2);
    expect(pickRaster(raster, 10, 5, 4)).toBe(0);
    expect(pickRaster(raster, 10, 10, 4)).toBe(1);
    expect(pickRaster(raster, 10, 18, 4)).toBe(-1);
    rasterLine(raster, 0, 5, 20, 5, 1, 3);
    expect(pickRaster(raster, 0, 5, 4)).toBe(2);
  });
});

describe('packColour', () => {
  it('is the byte order of ImageData', () => {
    const bytes = new Uint8Array(new Uint32Array([packColour('#12abef', 0.5)]).buffer);
    expect([...bytes]).toEqual([0x12, 0xab, 0xef, 128]);
  });
});
