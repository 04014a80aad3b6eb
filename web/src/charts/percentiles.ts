// Percentiles over time as nested bands: the outermost faint, the middle line strong.
import type { BandsPart } from '../api/histograms';
import { mix } from '../draw/colour';
import type { Layer, Pen, Plot } from '../draw/layer';

/** The lowest and highest of all percentiles; null when there are none. */
export function levelExtent({ levels }: BandsPart): [number, number] | null {
  let [low, high] = [Infinity, -Infinity];
  for (const level of levels) {
    if (level < low) low = level;
    if (level > high) high = level;
  }
  return low <= high ? [low, high] : null;
}

export class PercentilesLayer implements Layer {
  private readonly x: Float64Array;

  constructor(
    private readonly part: BandsPart,
    private readonly colour: string,
  ) {
    const { first_x, last_x } = part.slots;
    this.x = first_x.map((first, i) => (first + (last_x[i] ?? first)) / 2);
  }

  draw(pen: Pen, plot: Plot): void {
    const count = this.part.shares.length;
    const middle = Math.floor(count / 2);
    for (let level = 0; level < middle; level += 1) {
      pen.fillStyle = mix(plot.ink.panel, this.colour, 0.14 + (0.5 * level) / middle);
      this.trace(pen, plot, level, count - 1 - level);
      pen.fill();
    }
    pen.strokeStyle = this.colour;
    pen.lineWidth = 1.5;
    pen.lineJoin = 'bevel';
    pen.beginPath();
    this.x.forEach((x, i) => {
      const at = [plot.x.map(x), plot.y.map(this.level(i, middle))] as const;
      if (i === 0) pen.moveTo(...at);
      else pen.lineTo(...at);
    });
    pen.stroke();
  }

  private level(slot: number, level: number): number {
    return this.part.levels[slot * this.part.shares.length + level] ?? NaN;
  }

  private trace(pen: Pen, plot: Plot, low: number, high: number): void {
    // One step alone has no width: it is a bar of four pixels.
    const last = this.x.length - 1;
    const corners = last === 0 ? [-2, 2] : [...this.x.keys()];
    const at = (corner: number, level: number): readonly [number, number] => {
      const slot = last === 0 ? 0 : corner;
      return [plot.x.map(this.x[slot] ?? 0) + (last === 0 ? corner : 0), plot.y.map(this.level(slot, level))];
    };
    pen.beginPath();
    corners.forEach((corner, i) => (i === 0 ? pen.moveTo(...at(corner, high)) : pen.lineTo(...at(corner, high))));
    for (const corner of corners.reverse()) pen.lineTo(...at(corner, low));
    pen.closePath();
  }
}
