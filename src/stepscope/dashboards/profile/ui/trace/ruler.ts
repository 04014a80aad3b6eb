// The ruler above the tracks: round times; the steps and other marks below them are overlays.
import { fontFamily } from '$web/style/theme';
import type { Overlay } from './overlay';
import { rulerTimes, timeText } from './window';

export const RULER = 42;
/** Height of the row of times, above the row of steps. */
export const TIMES = 20;

export const timeOverlay: Overlay = {
  draw(pen, { x, width, ink }) {
    pen.font = `11px ${fontFamily}`;
    pen.textBaseline = 'middle';
    pen.textAlign = 'left';
    for (const time of rulerTimes(x.domain, width)) {
      pen.fillStyle = ink.grid;
      pen.fillRect(Math.round(x.map(time)), 0, 1, RULER);
      const text = timeText(time, x.domain);
      // A time that is cut off at the edge reads as another one.
      if (x.map(time) + 4 + pen.measureText(text).width > width) continue;
      pen.fillStyle = ink.textSoft;
      pen.fillText(text, x.map(time) + 4, TIMES / 2);
    }
  },
};
