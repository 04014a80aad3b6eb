// A selected stretch of time: a pale band with an edge at both ends.
import type { Overlay } from '../overlay';
import type { Window } from '../window';

export const areaOverlay = (area: Window | null): Overlay => ({
  draw(pen, { x, height, ink }) {
    if (area === null) return;
    const [a, b] = [x.map(area[0]), x.map(area[1])];
    pen.fillStyle = ink.selection;
    pen.globalAlpha = 0.12;
    pen.fillRect(a, 0, b - a, height);
    pen.globalAlpha = 1;
    pen.fillRect(a, 0, 1, height);
    pen.fillRect(b, 0, 1, height);
  },
});
