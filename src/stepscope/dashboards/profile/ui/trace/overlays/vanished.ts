// Work that a what-if takes away, struck through where it was recorded.
import type { ReplayItem } from '$api';
import type { Overlay } from '../overlay';
import { lineMiddle, rowOf } from '../track-rows';

/** Narrower spans are struck through as a dot. */
const LEAST = 2;

export const vanishedOverlay = (items: readonly ReplayItem[]): Overlay => ({
  draw(pen, { x, width, top, rows, ink }) {
    const struck = items.filter(({ gone }) => gone);
    for (const [colour, thick] of [
      [ink.panel, 4],
      [ink.red, 2],
    ] as const) {
      pen.strokeStyle = colour;
      pen.lineWidth = thick;
      pen.beginPath();
      for (const { recorded_track: track, line, recorded_start_us: start, recorded_end_us: end } of struck) {
        const row = rowOf(rows, track);
        const [a, b] = [Math.max(0, x.map(start)), Math.min(width, Math.max(x.map(end), x.map(start) + LEAST))];
        if (row === undefined || line >= row.lines || b <= a) continue;
        const y = lineMiddle(row, line) - top;
        pen.moveTo(a, y);
        pen.lineTo(b, y);
      }
      pen.stroke();
    }
  },
});
