// Marks on the ruler where a search found something.
import type { Overlay } from '../overlay';
import { RULER } from '../ruler';

export const hitOverlay = (times: readonly number[]): Overlay => ({
  draw(pen, { x, width, ink }) {
    pen.fillStyle = ink.selection;
    let drawn = -Infinity;
    for (const time of times) {
      const at = Math.round(x.map(time));
      if (at < 0 || at > width || at === drawn) continue;
      pen.fillRect(at, RULER - 6, 2, 6);
      drawn = at;
    }
  },
});
