// A line around one span: the chosen one, or the one under the pointer.
import type { Overlay } from '../overlay';
import { LINE, rowOf } from '../track-rows';

/** A span, as far as its place is concerned. */
export interface SpanPlace {
  track: number;
  line: number;
  start: number;
  end: number;
}

/** So far outside of the canvas an edge is not seen. */
const OUTSIDE = 4;
const NARROWEST = 2;

export const outlineOverlay = (span: SpanPlace | null, thick: number): Overlay => ({
  draw(pen, { x, width, top, rows, ink }) {
    const row = span === null ? undefined : rowOf(rows, span.track);
    if (span === null || row === undefined || span.line >= row.lines) return;
    const begins = x.map(span.start);
    const a = Math.max(-OUTSIDE, begins);
    const b = Math.min(width + OUTSIDE, Math.max(x.map(span.end), begins + NARROWEST));
    pen.strokeStyle = ink.text;
    pen.lineWidth = thick;
    pen.beginPath();
    pen.rect(a - 0.5, row.y - top + span.line * LINE - 0.5, b - a + 1, LINE);
    pen.stroke();
  },
});
