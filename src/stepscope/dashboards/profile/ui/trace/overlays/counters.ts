// Counters: a filled area up to the highest value of each column, and the value under the pointer.
import type { Pen } from '$web/draw/layer';
import { value } from '$web/widgets/format';
import { counterRange } from '../counter-range';
import type { Overlay, OverlayHit, Stage } from '../overlay';
import type { CounterTile } from '../tiles';
import { trackName, type Row, type TrackRow } from '../track-rows';

/** Room above and below the area, inside of its row. */
const ABOVE = 2;
const BELOW = 4;

type TilesOf = (track: number) => readonly CounterTile[];

const isCounter = (row: Row | undefined): row is TrackRow => row?.kind === 'track' && row.track.role === 'counter';

function drawCounter(pen: Pen, parts: readonly CounterTile[], row: TrackRow, { x, width, top: scrolled }: Stage): void {
  const [top, height] = [row.y - scrolled + ABOVE, row.height - ABOVE - BELOW];
  const [low, high] = counterRange(row.track);
  const y = (at: number): number => top + (height - 2) * (1 - (at - low) / (high - low)) + 1;
  // Areas stand on zero, or on the edge of the range that is nearest to it.
  const ground = y(Math.max(low, Math.min(0, high)));
  for (const { start, high: highest } of parts)
    for (let place = 0; place < start.length; place += 1) {
      const ends = place + 1 < start.length ? x.map(start[place + 1] ?? 0) : width;
      // On whole pixels, or the background would show between columns.
      const [a, b] = [Math.max(0, Math.round(x.map(start[place] ?? 0))), Math.min(width, Math.ceil(ends))];
      const peak = y(highest[place] ?? 0);
      if (b > a) pen.fillRect(a, Math.min(peak, ground - 1), Math.max(1, b - a), Math.max(1, ground - peak));
    }
}

/** The column that a time lies in; null before the first sample. */
function columnAt(parts: readonly CounterTile[], time: number): { part: CounterTile; place: number } | null {
  const part = parts.findLast(({ start }) => start.length > 0 && (start[0] ?? Infinity) <= time);
  if (part === undefined) return null;
  let [low, high] = [0, part.start.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((part.start[middle] ?? Infinity) <= time) low = middle;
    else high = middle;
  }
  return { part, place: low };
}

function counterHit(tilesOf: TilesOf, left: number, y: number, { x, visible, top }: Stage): OverlayHit | null {
  const row = visible.find((one) => y + top >= one.y && y + top < one.y + one.height);
  if (!isCounter(row)) return null;
  const found = columnAt(tilesOf(row.track.id), x.invert(left));
  if (found === null) return null;
  const { part, place } = found;
  const [low, high] = [part.low[place] ?? 0, part.high[place] ?? 0];
  const between = high > low ? { soft: `${value(low)} – ${value(high)} in this pixel` } : {};
  return { tip: { name: trackName(row.track), text: value(part.last[place] ?? 0), ...between }, act: null };
}

/** `tilesOf` finds what is known of a counter in the window, in the order of time. */
export const counterOverlay = (tilesOf: TilesOf): Overlay => ({
  draw(pen, stage) {
    pen.fillStyle = stage.ink.selection;
    for (const row of stage.visible) if (isCounter(row)) drawCounter(pen, tilesOf(row.track.id), row, stage);
  },
  hit: (x, y, stage) => counterHit(tilesOf, x, y, stage),
});
