// Counters: a filled area between zero and the highest value of each column.
import type { Pen } from '$web/draw/layer';
import type { Overlay, Stage } from '../overlay';
import type { CounterTile } from '../tiles';
import type { TrackRow } from '../track-rows';

/** Room above and below the area, inside of its row. */
const ABOVE = 2;
const BELOW = 4;

function drawCounter(pen: Pen, parts: readonly CounterTile[], row: TrackRow, { x, width, top: scrolled }: Stage): void {
  const [top, height] = [row.y - scrolled + ABOVE, row.height - ABOVE - BELOW];
  const low = Math.min(0, row.track.least ?? 0);
  const high = Math.max(row.track.most ?? 1, low + 1e-12);
  const y = (value: number): number => top + (height - 2) * (1 - (value - low) / (high - low)) + 1;
  for (const { start, high: highest } of parts)
    for (let place = 0; place < start.length; place += 1) {
      const ends = place + 1 < start.length ? x.map(start[place + 1] ?? 0) : width;
      const [a, b] = [Math.max(0, x.map(start[place] ?? 0)), Math.min(width, ends)];
      const peak = y(highest[place] ?? 0);
      if (b > a) pen.fillRect(a, peak, Math.max(1, b - a), y(Math.max(0, low)) - peak);
    }
}

/** `tilesOf` finds what is known of a counter in the window. */
export const counterOverlay = (tilesOf: (track: number) => readonly CounterTile[]): Overlay => ({
  draw(pen, stage) {
    pen.fillStyle = stage.ink.selection;
    for (const row of stage.visible)
      if (row.kind === 'track' && row.track.role === 'counter') drawCounter(pen, tilesOf(row.track.id), row, stage);
  },
});
