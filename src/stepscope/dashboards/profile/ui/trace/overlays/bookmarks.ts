// Bookmarks on the ruler: a flag with its name where each one begins.
import { fontFamily } from '$web/style/theme';
import type { Bookmark } from '$web/state/view';
import type { Overlay } from '../overlay';
import { durationText } from '../window';

const FLAG = 8;

export const bookmarkOverlay = (bookmarks: readonly Bookmark[], show: (bookmark: Bookmark) => void): Overlay => ({
  draw(pen, { x, width, ink }) {
    pen.font = `11px ${fontFamily}`;
    pen.textBaseline = 'middle';
    pen.textAlign = 'left';
    for (const { window } of bookmarks) {
      const at = Math.round(x.map(window[0]));
      if (at < -FLAG || at > width) continue;
      pen.fillStyle = ink.amber;
      pen.fillRect(at, 0, 2, FLAG * 2);
      pen.fillRect(at, 0, FLAG, FLAG);
    }
  },
  hit(at, y, { x }) {
    if (y > FLAG * 2) return null;
    const found = bookmarks.findLast(({ window }) => {
      const start = x.map(window[0]);
      return at >= start - 2 && at <= start + FLAG + 2;
    });
    if (found === undefined) return null;
    return {
      tip: { name: found.name, text: `Bookmark of ${durationText(found.window[1] - found.window[0])}` },
      act: () => show(found),
    };
  },
});
