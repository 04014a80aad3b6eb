// A grey ground behind the rows that name a process.
import type { Overlay } from '../overlay';

export const headingOverlay: Overlay = {
  draw(pen, { visible, width, top, ink }) {
    pen.fillStyle = ink.grid;
    for (const row of visible) if (row.kind === 'process') pen.fillRect(0, row.y - top, width, row.height - 1);
  },
};
