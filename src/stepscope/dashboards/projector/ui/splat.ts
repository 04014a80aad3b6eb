// Paints points into an image on the processor, with the nearest in front, and remembers which point each pixel shows.

/** No point is at a pixel. */
export const NOBODY = -1;

/** Pixels of a disc of some radius around its middle. */
export function disc(radius: number): [number, number][] {
  const found: [number, number][] = [];
  const reach = Math.ceil(radius);
  for (let y = -reach; y <= reach; y++)
    for (let x = -reach; x <= reach; x++) if (x * x + y * y <= radius * radius + 0.5) found.push([x, y]);
  return found;
}

/** The radius in pixels of the screen: smaller the more points there are. */
export function radiusFor(count: number, ratio: number): number {
  const css = count > 100_000 ? 0.8 : count > 20_000 ? 1.2 : count > 5_000 ? 1.8 : count > 800 ? 2.6 : 3.6;
  return Math.max(0.5, css * ratio);
}

export class Splat {
  width = 0;
  height = 0;
  private pixels = new Uint32Array(0);
  private depths = new Float32Array(0);
  private ids = new Int32Array(0);

  /** Empties the picture, and gives it a size in pixels of the screen. */
  begin(width: number, height: number): void {
    if (width !== this.width || height !== this.height) {
      [this.width, this.height] = [width, height];
      this.pixels = new Uint32Array(width * height);
      this.depths = new Float32Array(width * height);
      this.ids = new Int32Array(width * height);
    } else this.pixels.fill(0);
    this.depths.fill(-Infinity);
    this.ids.fill(NOBODY);
  }

  /** Paints points of `places` (x, y, depth each); of two at one pixel the nearer stays, of equally near ones the later. */
  paint(places: Float32Array, colours: Uint32Array, radius: number, which?: Int32Array): void {
    const { width, height, pixels, depths, ids } = this;
    const shape = disc(radius);
    const reach = Math.ceil(radius);
    const steps = Int32Array.from(shape, ([x, y]) => y * width + x);
    const count = which?.length ?? places.length / 3;
    for (let k = 0; k < count; k++) {
      const i = which === undefined ? k : (which[k] as number);
      const x = Math.round(places[3 * i] as number);
      const y = Math.round(places[3 * i + 1] as number);
      if (!(x >= -reach && y >= -reach && x < width + reach && y < height + reach)) continue;
      const depth = places[3 * i + 2] as number;
      const colour = colours[i] as number;
      const inside = x >= reach && y >= reach && x < width - reach && y < height - reach;
      const middle = y * width + x;
      for (let s = 0; s < steps.length; s++) {
        if (!inside) {
          const [dx, dy] = shape[s] as [number, number];
          if (x + dx < 0 || y + dy < 0 || x + dx >= width || y + dy >= height) continue;
        }
        const at = middle + (steps[s] as number);
        if (depth < (depths[at] as number)) continue;
        depths[at] = depth;
        pixels[at] = colour;
        ids[at] = i;
      }
    }
  }

  /** The picture for `putImageData`. */
  image(): ImageData {
    return new ImageData(new Uint8ClampedArray(this.pixels.buffer as ArrayBuffer), this.width, this.height);
  }

  /** The point nearest to a pixel, at most `reach` away. */
  pick(x: number, y: number, reach: number): number {
    let [found, nearest] = [NOBODY, Infinity];
    const [left, right] = [Math.max(0, Math.floor(x - reach)), Math.min(this.width - 1, Math.ceil(x + reach))];
    const [top, bottom] = [Math.max(0, Math.floor(y - reach)), Math.min(this.height - 1, Math.ceil(y + reach))];
    for (let row = top; row <= bottom; row++)
      for (let column = left; column <= right; column++) {
        const id = this.ids[row * this.width + column] as number;
        const away = (column - x) ** 2 + (row - y) ** 2;
        if (id !== NOBODY && away < nearest) [found, nearest] = [id, away];
      }
    return found;
  }
}

/** The points whose places lie inside a closed line, given as x and y one after the other. */
export function insideOf(places: Float32Array, line: readonly number[]): number[] {
  const found: number[] = [];
  const corners = line.length / 2;
  if (corners < 3) return found;
  for (let i = 0; i < places.length / 3; i++) {
    const [x, y] = [places[3 * i] as number, places[3 * i + 1] as number];
    let inside = false;
    for (let a = 0, b = corners - 1; a < corners; b = a++) {
      const [ax, ay, bx, by] = [line[2 * a], line[2 * a + 1], line[2 * b], line[2 * b + 1]] as [
        number,
        number,
        number,
        number,
      ];
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
    }
    if (inside) found.push(i);
  }
  return found;
}
