// Arrows from a chosen span to those that it started, or that started it.
import type { Pen } from '$web/draw/layer';
import { lineMiddle, rowOf, type Row } from './track-rows';
import { lengthOf, type Window } from './window';

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
function pointOf(end: ArrowEnd, rows: readonly Row[], window: Window, width: number, top: number): Point | null {
  const row = rowOf(rows, end.track);
  if (row === undefined) return null;
  return { x: ((end.time - window[0]) / lengthOf(window)) * width, y: lineMiddle(row, end.line) - top };
}

const HEAD = 5;

/** Draws the arrows as three straight pieces, so that they can be followed among spans. */
export function drawArrows(
  pen: Pen,
  arrows: readonly Arrow[],
  place: { rows: readonly Row[]; window: Window; width: number; left: number; top: number; colour: string },
): void {
  pen.strokeStyle = place.colour;
  pen.fillStyle = place.colour;
  pen.lineWidth = 1.5;
  for (const { from, to } of arrows) {
    const begin = pointOf(from, place.rows, place.window, place.width, place.top);
    const end = pointOf(to, place.rows, place.window, place.width, place.top);
    if (begin === null || end === null) continue;
    const [x0, x1] = [place.left + begin.x, place.left + end.x];
    const bend = x1 >= x0 ? x0 + Math.min(12, (x1 - x0) / 2) : x0 + 6;
    pen.beginPath();
    pen.moveTo(x0, begin.y);
    pen.lineTo(bend, begin.y);
    pen.lineTo(bend, end.y);
    pen.lineTo(x1, end.y);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x1, end.y);
    pen.lineTo(x1 - HEAD, end.y - HEAD * 0.7);
    pen.lineTo(x1 - HEAD, end.y + HEAD * 0.7);
    pen.closePath();
    pen.fill();
  }
}
