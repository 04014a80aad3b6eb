// Idle time of a device beside its name: when it waits, and for what, as the table of causes counts it.
import type { Pen } from '$web/draw/layer';
import { timeColours, type Theme } from '$web/style/theme';
import type { GapRow } from '$api';
import { fit, LABEL_FONT } from './paint';
import { PROCESS_HEIGHT, type Row } from './track-rows';
import { lengthOf, type Window } from './window';

/** Between the edges of the row and the boxes. */
const EDGE = 5;
const LEAST_LABEL = 48;

/** Gaps by the process that they are of, in the order of time. */
export function gapsByProcess(gaps: readonly GapRow[]): ReadonlyMap<string, readonly GapRow[]> {
  const found = new Map<string, GapRow[]>();
  for (const gap of gaps) {
    const list = found.get(gap.process);
    if (list === undefined) found.set(gap.process, [gap]);
    else list.push(gap);
  }
  return found;
}

/** Pale boxes in the colour of their group: what is missing must not look like what is there. */
export function drawGaps(
  pen: Pen,
  gaps: ReadonlyMap<string, readonly GapRow[]>,
  rows: readonly Row[],
  { window, width, top, theme, text }: { window: Window; width: number; top: number; theme: Theme; text: string },
): void {
  const scale = width / lengthOf(window);
  pen.font = LABEL_FONT;
  pen.textBaseline = 'middle';
  pen.textAlign = 'left';
  for (const row of rows) {
    if (row.kind !== 'process') continue;
    // Many gaps in one pixel are drawn once, or their paint would add up.
    let drawn = -1;
    for (const { start_us: start, end_us: end, group, label } of gaps.get(row.name) ?? []) {
      const [a, b] = [Math.max(0, (start - window[0]) * scale), Math.min(width, (end - window[0]) * scale)];
      if (b <= 0 || a >= width || Math.floor(b) <= drawn) continue;
      drawn = Math.floor(b);
      pen.globalAlpha = 0.35;
      pen.fillStyle = timeColours[theme][group];
      pen.fillRect(a, row.y - top + EDGE, Math.max(1, b - a - 1), PROCESS_HEIGHT - 2 * EDGE - 1);
      pen.globalAlpha = 1;
      if (b - a < LEAST_LABEL) continue;
      pen.fillStyle = text;
      pen.fillText(fit(label, b - a - 8), a + 4, row.y - top + PROCESS_HEIGHT / 2);
    }
  }
}

/** The gap at a time beside the name of a process, or within a pixel or two of it. */
export function gapAt(
  gaps: ReadonlyMap<string, readonly GapRow[]>,
  rows: readonly Row[],
  y: number,
  time: number,
  near: number,
): GapRow | null {
  const row = rows.find((one) => y >= one.y && y < one.y + one.height);
  if (row?.kind !== 'process') return null;
  const own = gaps.get(row.name) ?? [];
  const inside = own.find(({ start_us: start, end_us: end }) => start <= time && time < end);
  return inside ?? own.find(({ start_us: start, end_us: end }) => start - near <= time && time < end + near) ?? null;
}
