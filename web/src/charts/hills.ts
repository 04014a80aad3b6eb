// Histograms as hills, one for each slot: behind each other by time, or all on one base line.
import type { GridPart } from '../api/histograms';
import { mix } from '../draw/colour';
import type { Hit, Layer, Pen, Plot } from '../draw/layer';

export interface HillOptions {
  colour: string;
  /** Height of the tallest hill in pixels, when they stand behind each other; 0 when they share a base line. */
  room: number;
}

/** The middle of a slot on x. */
export const slotMiddle = (part: GridPart, slot: number): number =>
  ((part.slots.first_x[slot] ?? NaN) + (part.slots.last_x[slot] ?? NaN)) / 2;

export class HillsLayer implements Layer {
  private readonly most: number;

  constructor(
    private readonly part: GridPart,
    private readonly options: HillOptions,
  ) {
    this.most = part.cells.reduce((most, cell) => Math.max(most, cell), 0);
  }

  draw(pen: Pen, plot: Plot): void {
    const count = this.part.slots.count.length;
    for (let slot = 0; slot < count; slot += 1) {
      const age = count > 1 ? slot / (count - 1) : 1;
      const colour = mix(plot.ink.panel, this.options.colour, 0.25 + 0.75 * age);
      if (this.options.room > 0) {
        pen.fillStyle = colour;
        pen.strokeStyle = plot.ink.panel;
        this.trace(pen, plot, slot, true);
        pen.globalAlpha = 0.9;
        pen.fill();
        pen.globalAlpha = 1;
      } else {
        pen.strokeStyle = colour;
        this.trace(pen, plot, slot, false);
      }
      pen.lineWidth = 1;
      pen.stroke();
    }
  }

  /** One hill over the others. */
  drawBright(pen: Pen, plot: Plot, slot: number, colour: string): void {
    if (slot < 0 || slot >= this.part.slots.count.length) return;
    this.trace(pen, plot, slot, false);
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.stroke();
  }

  /** The hill under or nearest to a point, by the height of its line there. */
  pick(x: number, y: number, plot: Plot): Hit | null {
    const bin = this.binAt(plot.x.invert(x));
    if (bin < 0) return null;
    let best: Hit | null = null;
    for (let slot = 0; slot < this.part.slots.count.length; slot += 1) {
      const distance = Math.abs(this.lineY(plot, slot, bin) - y);
      if (best === null || distance <= best.distance) best = { item: slot, distance };
    }
    return best;
  }

  private binAt(value: number): number {
    const [low, high] = this.part.values;
    const bin = Math.floor(((value - low) / (high - low)) * this.part.bins);
    return bin >= 0 && bin < this.part.bins ? bin : -1;
  }

  private baseY(plot: Plot, slot: number): number {
    return this.options.room > 0 ? plot.y.map(slotMiddle(this.part, slot)) : plot.area.bottom;
  }

  private lineY(plot: Plot, slot: number, bin: number): number {
    const cell = this.part.cells[slot * this.part.bins + bin] ?? 0;
    if (this.options.room === 0) return plot.y.map(cell);
    return this.baseY(plot, slot) - (this.most > 0 ? cell / this.most : 0) * this.options.room;
  }

  private trace(pen: Pen, plot: Plot, slot: number, closed: boolean): void {
    const { bins, values } = this.part;
    const width = (values[1] - values[0]) / bins;
    const base = this.baseY(plot, slot);
    pen.beginPath();
    pen.moveTo(plot.x.map(values[0]), base);
    for (let bin = 0; bin < bins; bin += 1)
      pen.lineTo(plot.x.map(values[0] + (bin + 0.5) * width), this.lineY(plot, slot, bin));
    pen.lineTo(plot.x.map(values[1]), base);
    if (closed) pen.closePath();
  }
}
