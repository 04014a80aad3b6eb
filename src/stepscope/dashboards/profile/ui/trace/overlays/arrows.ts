// Arrows from a chosen span to those that it started, or that started it.
import type { Pen } from '$web/draw/layer';
import type { Overlay, Stage } from '../overlay';
import { lineMiddle, rowOf } from '../track-rows';

/** One end of an arrow. */
export interface ArrowEnd {
  track: number;
  line: number;
  /** Microseconds. */
  time: number;
}

export interface Arrow {
  from: ArrowEnd;
  to: ArrowEnd;
}

interface Point {
  x: number;
  y: number;
}

/** Where an end is on the canvas; null when its track is folded away. */
function pointOf(end: ArrowEnd, { rows, x, top }: Stage): Point | null {
  const row = rowOf(rows, end.track);
  return row === undefined ? null : { x: x.map(end.time), y: lineMiddle(row, end.line) - top };
}

const HEAD = 5;

/** Three straight pieces, so that an arrow can be followed among spans. */
function drawArrow(pen: Pen, begin: Point, end: Point): void {
  const bend = end.x >= begin.x ? begin.x + Math.min(12, (end.x - begin.x) / 2) : begin.x + 6;
  pen.beginPath();
  pen.moveTo(begin.x, begin.y);
  pen.lineTo(bend, begin.y);
  pen.lineTo(bend, end.y);
  pen.lineTo(end.x, end.y);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(end.x, end.y);
  pen.lineTo(end.x - HEAD, end.y - HEAD * 0.7);
  pen.lineTo(end.x - HEAD, end.y + HEAD * 0.7);
  pen.closePath();
  pen.fill();
}

export const arrowOverlay = (arrows: readonly Arrow[]): Overlay => ({
  draw(pen, stage) {
    pen.strokeStyle = stage.ink.selection;
    pen.fillStyle = stage.ink.selection;
    pen.lineWidth = 1.5;
    for (const { from, to } of arrows) {
      const [begin, end] = [pointOf(from, stage), pointOf(to, stage)];
      if (begin !== null && end !== null) drawArrow(pen, begin, end);
    }
  },
});
