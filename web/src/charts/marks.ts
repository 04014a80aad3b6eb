// Values that are not numbers on the axis: NaN and −Inf at the bottom edge, +Inf at the top.
import type { Layer, Pen, Plot } from '../draw/layer';
import type { Curve } from './types';

const HALF = 4;
const TALL = 7;

/** Names by the kind's number in a curve's marks. */
export const MARK_NAMES: Record<number, string> = { 1: 'NaN', 2: '+Inf', 3: '−Inf' };

function triangle(pen: Pen, x: number, base: number, tip: number): void {
  pen.beginPath();
  pen.moveTo(x - HALF, base);
  pen.lineTo(x + HALF, base);
  pen.lineTo(x, tip);
  pen.closePath();
}

function drawMark(pen: Pen, plot: Plot, px: number, kind: number): void {
  const { top, bottom } = plot.area;
  if (kind === 2) triangle(pen, px, top + TALL, top);
  else if (kind === 3) triangle(pen, px, bottom - TALL, bottom);
  else triangle(pen, px, bottom, bottom - TALL);
  // NaN is hollow, the infinities are filled.
  pen.fillStyle = kind === 1 ? plot.ink.panel : (pen.strokeStyle as string);
  pen.fill();
  pen.stroke();
}

export class MarksLayer implements Layer {
  constructor(private readonly curves: readonly Curve[]) {}

  draw(pen: Pen, plot: Plot): void {
    pen.lineWidth = 1.25;
    for (const curve of this.curves) {
      if (!curve.marks) continue;
      pen.strokeStyle = curve.colour;
      // A run that is NaN for 10,000 steps needs one mark every few pixels, not 10,000.
      const last = new Map<number, number>();
      curve.marks.x.forEach((x, i) => {
        const kind = curve.marks?.kind[i] ?? 1;
        const px = plot.x.map(x);
        if (Number.isNaN(px) || px - (last.get(kind) ?? -Infinity) < HALF) return;
        last.set(kind, px);
        drawMark(pen, plot, px, kind);
      });
    }
  }
}
