// Many lines drawn on the CPU into one image, with the line's number kept beside every pixel so that picking is one read.

/** A picture in device pixels and, per pixel, 1 + the number of the line drawn there last, or 0. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint32Array<ArrayBuffer>;
  readonly ids: Uint32Array<ArrayBuffer>;
}

export function makeRaster(width: number, height: number): Raster {
  const size = Math.max(1, width) * Math.max(1, height);
  return {
    width: Math.max(1, width),
    height: Math.max(1, height),
    pixels: new Uint32Array(size),
    ids: new Uint32Array(size),
  };
}

/** Packs #rrggbb and an opacity as the bytes of ImageData on a little-endian machine. */
export function packColour(hex: string, alpha = 1): number {
  const value = parseInt(hex.slice(1, 7), 16) || 0;
  const [red, green, blue] = [(value >> 16) & 255, (value >> 8) & 255, value & 255];
  return ((Math.round(alpha * 255) << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

function fillColumn(raster: Raster, column: number, from: number, to: number, colour: number, id: number): void {
  const { width, height, pixels, ids } = raster;
  const top = Math.max(0, Math.min(from, to));
  const bottom = Math.min(height - 1, Math.max(from, to));
  for (let at = top * width + column, row = top; row <= bottom; row += 1, at += width) {
    pixels[at] = colour;
    ids[at] = id;
  }
}

/**
 * Draws the line between two points in device pixels, one vertical run per column it crosses.
 * Parts outside the picture cost nothing.
 */
export function rasterLine(
  raster: Raster,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  colour: number,
  id: number,
): void {
  const first = Math.floor(x0);
  const last = Math.floor(x1);
  if (last < 0 || first >= raster.width) return;
  if (first === last) {
    fillColumn(raster, first, Math.round(y0), Math.round(y1), colour, id);
    return;
  }
  const slope = (y1 - y0) / (x1 - x0);
  let y = first < 0 ? y0 + slope * -x0 : y0;
  const end = Math.min(last, raster.width - 1);
  for (let column = Math.max(0, first); column <= end; column += 1) {
    const next = column === last ? y1 : y0 + slope * (column + 1 - x0);
    fillColumn(raster, column, Math.round(y), Math.round(next), colour, id);
    y = next;
  }
}

/** The number of the line nearest to a pixel within `radius`, or −1. */
export function pickRaster(raster: Raster, x: number, y: number, radius: number): number {
  const [column, row] = [Math.round(x), Math.round(y)];
  let best = -1;
  let least = Infinity;
  for (let dy = -radius; dy <= radius; dy += 1) {
    for (let dx = -radius; dx <= radius; dx += 1) {
      const [cx, cy] = [column + dx, row + dy];
      if (cx < 0 || cy < 0 || cx >= raster.width || cy >= raster.height) continue;
      const id = raster.ids[cy * raster.width + cx];
      const distance = dx * dx + dy * dy;
      if (id > 0 && distance < least) {
        least = distance;
        best = id - 1;
      }
    }
  }
  return best;
}

export function toImage(raster: Raster): ImageData {
  return new ImageData(new Uint8ClampedArray(raster.pixels.buffer), raster.width, raster.height);
}
