// Paints rows of ranks: every pixel column of a row is a stack of the shares of time that the six groups own there.
import { mix } from '$web/draw/colour';
import { packColour } from '$web/draw/raster';
import { inks, timeColours, type Theme } from '$web/style/theme';
import { GROUP_ORDER } from '../../groups';
import { COLUMNS, tilesOf, tileWindow } from '../tiles';
import { lengthOf, type Window } from '../window';
import type { RankTiles, Shares } from './rank-tiles';

/** Pixels of a row in the picture: shares are drawn in sixteenths. */
export const LINES = 16;
const OWNERS = GROUP_ORDER.length - 1;

/** A rank that is drawn. Times of the window are its own. */
export interface DrawnRank {
  worker: string;
  window: Window;
  /** Length of its profile. */
  end: number;
}

/** The shares of a stretch of a rank's own time, from 0 to 1 in the order of GROUPS with untraced last; null where nothing is known. */
export function sharesIn(tiles: RankTiles, worker: string, level: number, [from, to]: Window): number[] | null {
  const sums = new Array<number>(OWNERS).fill(0);
  let counted = 0;
  for (const place of tilesOf([from, to], level)) {
    const found = tiles.find({ ...place, worker });
    if (found === null) continue;
    const [first, last] = columnsIn(tileWindow(found.place), [from, to]);
    for (let group = 0; group < OWNERS; group += 1)
      for (let column = first; column < last; column += 1)
        sums[group] = (sums[group] ?? 0) + (found.shares[group]?.[column] ?? 0);
    counted += last - first;
  }
  if (counted === 0) return null;
  const shares = sums.map((sum) => sum / counted / 255);
  return [...shares, Math.max(0, 1 - shares.reduce((total, share) => total + share, 0))];
}

/** The columns of a tile that a stretch covers; one that is narrower than a column has the column it is in. */
function columnsIn([start, end]: Window, [from, to]: Window): [first: number, last: number] {
  const scale = COLUMNS / (end - start);
  const first = Math.max(0, Math.min(COLUMNS - 1, Math.floor((Math.max(from, start) - start) * scale)));
  return [first, Math.max(first + 1, Math.min(COLUMNS, Math.floor((Math.min(to, end) - start) * scale)))];
}

/** Colours of the groups, and the two of the hatching of untraced time. */
export function stackColours(theme: Theme): { owners: Uint32Array; hatch: number; ground: number } {
  const colours = GROUP_ORDER.map((group) => timeColours[theme][group]);
  const untraced = colours[OWNERS] ?? '#888888';
  return {
    owners: Uint32Array.from(colours.slice(0, OWNERS), (colour) => packColour(colour)),
    hatch: packColour(mix(inks[theme].panel, untraced, 0.55)),
    ground: packColour(mix(inks[theme].panel, untraced, 0.18)),
  };
}

/** The picture of the ranks on screen: one row of LINES pixels each. */
export class RankPicture {
  private pixels = new Uint32Array(1);
  private image: HTMLCanvasElement | null = null;

  /** Paints ranks below each other, `width` pixels wide. */
  paint(ranks: readonly DrawnRank[], tiles: RankTiles, level: number, width: number, theme: Theme): Uint32Array {
    const size = Math.max(1, width * ranks.length * LINES);
    if (this.pixels.length < size) this.pixels = new Uint32Array(size);
    else this.pixels.fill(0, 0, size);
    const colours = stackColours(theme);
    ranks.forEach((rank, row) => this.paintRank(rank, row, tiles, level, width, colours));
    return this.pixels.subarray(0, size);
  }

  private paintRank(
    { worker, window, end }: DrawnRank,
    row: number,
    tiles: RankTiles,
    level: number,
    width: number,
    { owners, hatch, ground }: ReturnType<typeof stackColours>,
  ): void {
    const step = lengthOf(window) / width;
    const heights = new Float64Array(OWNERS);
    for (const place of tilesOf(window, level)) {
      const found = tiles.find({ ...place, worker });
      if (found === null) continue;
      const [start, stop] = tileWindow(place);
      // Of a pixel on the border of two tiles the one in which it starts is drawn.
      const first = Math.max(0, Math.ceil((Math.max(0, start) - window[0]) / step));
      const last = Math.min(width, Math.ceil((Math.min(end, stop) - window[0]) / step));
      const from = tileWindow(found.place);
      for (let x = first; x < last; x += 1) {
        const time = window[0] + x * step;
        stack(found.shares, columnsIn(from, [time, time + step]), heights);
        let at = (row + 1) * LINES * width + x;
        let drawn = 0;
        let total = 0;
        for (let group = 0; group < OWNERS; group += 1) {
          total += heights[group] ?? 0;
          const to = Math.min(LINES, Math.round(total * LINES));
          for (; drawn < to; drawn += 1) {
            at -= width;
            this.pixels[at] = owners[group] ?? 0;
          }
        }
        for (; drawn < LINES; drawn += 1) {
          at -= width;
          this.pixels[at] = (x + drawn) % 4 === 0 ? hatch : ground;
        }
      }
    }
  }

  /** Puts the picture on a canvas, each row `row` CSS pixels high with a pixel between rows. */
  draw(pen: CanvasRenderingContext2D, rows: number, width: number, shown: number, top: number, row: number): void {
    if (rows === 0) return;
    this.image ??= document.createElement('canvas');
    this.image.width = width;
    this.image.height = rows * LINES;
    const data = new ImageData(
      new Uint8ClampedArray(this.pixels.buffer, 0, width * rows * LINES * 4),
      width,
      rows * LINES,
    );
    this.image.getContext('2d')?.putImageData(data, 0, 0);
    pen.imageSmoothingEnabled = false;
    for (let place = 0; place < rows; place += 1)
      pen.drawImage(this.image, 0, place * LINES, width, LINES, 0, top + place * row + 2, shown, row - 4);
  }
}

/** The mean share of each group over some columns. */
function stack(shares: Shares, [first, last]: [number, number], heights: Float64Array): void {
  for (let group = 0; group < heights.length; group += 1) {
    const column = shares[group];
    let sum = 0;
    for (let place = first; place < last; place += 1) sum += column?.[place] ?? 0;
    heights[group] = sum / (255 * (last - first));
  }
}
