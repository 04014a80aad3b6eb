// A heat map of histograms as pixels: x is time, y the value, and the colour the logarithm of the count.
import type { GridPart, Slots } from '../api/histograms';
import { ramp } from '../draw/colour';
import type { Plot } from '../draw/layer';
import { makeRaster, type Raster } from '../draw/raster';

const SHADES = 256;
/** Counts below this share of the largest have the faintest colour. */
const DEEPEST = 1e-6;

/** Where each slot's stretch of x begins; one more than there are slots. Slots meet halfway between their steps. */
export function slotEdges({ first_x, last_x }: Slots, [low, high]: readonly [number, number]): Float64Array {
  const count = first_x.length;
  const edges = new Float64Array(count + 1);
  for (let i = 1; i < count; i += 1) edges[i] = ((last_x[i - 1] ?? 0) + (first_x[i] ?? 0)) / 2;
  // The outer ones are as wide to the outside as to the inside, so that the first step is not half a stripe.
  const first = first_x[0] ?? low;
  const last = last_x[count - 1] ?? high;
  const half = (high - low) / Math.max(2, 2 * count);
  edges[0] = first - (count > 1 ? (edges[1] ?? first) - first : half);
  edges[count] = last + (count > 1 ? last - (edges[count - 1] ?? last) : half);
  return edges;
}

/** The slot whose stretch holds x; −1 outside of all. */
export function slotAt(edges: Float64Array, x: number): number {
  const count = edges.length - 1;
  if (count < 1 || !(x >= (edges[0] ?? 0)) || !(x <= (edges[count] ?? 0))) return -1;
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((edges[middle] ?? Infinity) <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Of so many positive counts one is looked at, to find the faintest. */
const LOOKED_AT = 4096;
/** This share of the cells may be fainter than the faintest colour: slivers at the edges of buckets. */
const SLIVERS = 0.02;

function faintest(cells: Float32Array, most: number): number {
  const every = Math.max(1, Math.floor(cells.length / LOOKED_AT));
  const sample = cells.filter((cell, i) => cell > 0 && i % every === 0).sort();
  return Math.max(sample[Math.floor(sample.length * SLIVERS)] ?? most, most * DEEPEST);
}

/** The counts of the faintest and of the darkest colour; null without any. */
export function heatRange(cells: Float32Array): [number, number] | null {
  const most = cells.reduce((highest, cell) => (cell > highest ? cell : highest), 0);
  return most > 0 ? [faintest(cells, most), most] : null;
}

/** For each cell its shade from 1 to the darkest, 0 for none: equal factors between counts are equal steps. */
export function shadesOf(cells: Float32Array): Uint8Array {
  const [floor, most] = heatRange(cells) ?? [1, 1];
  const span = Math.log(most / floor);
  return Uint8Array.from(cells, (cell) => {
    if (!(cell > 0)) return 0;
    const share = span > 0 ? Math.max(0, Math.log(cell / floor) / span) : 1;
    return 1 + Math.round(share * (SHADES - 2));
  });
}

/** Draws the part over the plot area, in device pixels. */
export function rasterHeat(part: GridPart, plot: Plot, ratio: number, colours: [string, string, string]): Raster {
  const { area, x, y } = plot;
  const raster = makeRaster(Math.round((area.right - area.left) * ratio), Math.round((area.bottom - area.top) * ratio));
  const shades = shadesOf(part.cells);
  const palette = ramp(...colours, SHADES);
  const edges = slotEdges(part.slots, x.domain);
  const [low, high] = part.values;
  const rows = Int32Array.from({ length: raster.height }, (_, row) => {
    const bin = Math.floor(((y.invert(area.top + (row + 0.5) / ratio) - low) / (high - low)) * part.bins);
    return bin >= 0 && bin < part.bins ? bin : -1;
  });
  for (let column = 0; column < raster.width; column += 1) {
    const slot = slotAt(edges, x.invert(area.left + (column + 0.5) / ratio));
    if (slot < 0) continue;
    const start = slot * part.bins;
    for (let row = 0; row < raster.height; row += 1) {
      const bin = rows[row] ?? -1;
      const shade = bin < 0 ? 0 : (shades[start + bin] ?? 0);
      if (shade > 0) raster.pixels[row * raster.width + column] = palette[shade] ?? 0;
    }
  }
  return raster;
}
