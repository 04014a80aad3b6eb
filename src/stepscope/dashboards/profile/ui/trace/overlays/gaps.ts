// Idle time of a device beside its name: when it waits, and for what, as the table of causes counts it.
import type { Pen } from '$web/draw/layer';
import { timeColours } from '$web/style/theme';
import type { GapRow } from '$api';
import type { Overlay, Stage } from '../overlay';
import { fit, LABEL_FONT } from '../paint';
import { PROCESS_HEIGHT } from '../track-rows';
import { durationText } from '../window';

/** Between the edges of the row and the boxes. */
const EDGE = 5;
const LEAST_LABEL = 48;
/** Pixels beside a narrow gap at which it is still meant. */
const NEAR = 2;

type ByProcess = ReadonlyMap<string, readonly GapRow[]>;

/** Gaps by the process that they are of, in the order of time. */
function gapsByProcess(gaps: readonly GapRow[]): ByProcess {
  const found = new Map<string, GapRow[]>();
  for (const gap of gaps) {
    const list = found.get(gap.process);
    if (list === undefined) found.set(gap.process, [gap]);
    else list.push(gap);
  }
  return found;
}

/** Pale boxes in the colour of their group: what is missing must not look like what is there. */
function drawGaps(pen: Pen, gaps: ByProcess, { x, width, visible, top, theme, ink }: Stage): void {
  pen.font = LABEL_FONT;
  pen.textBaseline = 'middle';
  pen.textAlign = 'left';
  for (const row of visible) {
    if (row.kind !== 'process') continue;
    // Many gaps in one pixel are drawn once, or their paint would add up.
    let drawn = -1;
    for (const { start_us: start, end_us: end, group, label } of gaps.get(row.name) ?? []) {
      const [a, b] = [Math.max(0, x.map(start)), Math.min(width, x.map(end))];
      if (b <= 0 || a >= width || Math.floor(b) <= drawn) continue;
      drawn = Math.floor(b);
      pen.globalAlpha = 0.35;
      pen.fillStyle = timeColours[theme][group];
      pen.fillRect(a, row.y - top + EDGE, Math.max(1, b - a - 1), PROCESS_HEIGHT - 2 * EDGE - 1);
      pen.globalAlpha = 1;
      if (b - a < LEAST_LABEL) continue;
      pen.fillStyle = ink.text;
      pen.fillText(fit(label, b - a - 8), a + 4, row.y - top + PROCESS_HEIGHT / 2);
    }
  }
}

/** The gap at a point beside the name of a process, or within a pixel or two of it. */
function gapAt(gaps: ByProcess, left: number, y: number, { x, visible, top }: Stage): GapRow | null {
  const row = visible.find((one) => y + top >= one.y && y + top < one.y + one.height);
  if (row?.kind !== 'process') return null;
  const own = gaps.get(row.name) ?? [];
  const time = x.invert(left);
  const near = x.invert(left + NEAR) - time;
  const inside = own.find(({ start_us: start, end_us: end }) => start <= time && time < end);
  return inside ?? own.find(({ start_us: start, end_us: end }) => start - near <= time && time < end + near) ?? null;
}

/** A click on a gap chooses the span of the host meanwhile. */
export function gapOverlay(gaps: readonly GapRow[], onrow: (row: number) => void): Overlay {
  const byProcess = gapsByProcess(gaps);
  return {
    draw: (pen, stage) => drawGaps(pen, byProcess, stage),
    hit(x, y, stage) {
      const gap = gapAt(byProcess, x, y, stage);
      if (gap === null) return null;
      const { row, name, process, label } = gap;
      return {
        tip: { text: `${process} idle for ${durationText(gap.end_us - gap.start_us)}`, soft: label, below: name },
        act: row === null ? null : () => onrow(row),
      };
    },
  };
}
