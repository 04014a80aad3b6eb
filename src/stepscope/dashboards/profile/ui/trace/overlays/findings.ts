// Markers on the ruler where evidence of findings is; those that would cover each other are one, with their number.
import { fontFamily } from '$web/style/theme';
import type { FindingMark } from '../findings';
import type { Overlay, Stage } from '../overlay';
import { RULER, TIMES } from '../ruler';

/** Half the height and width of a marker. */
const HALF = 6;
/** Markers that are nearer to each other are one. */
const APART = 2 * HALF + 8;
const MIDDLE = TIMES;

interface Marker {
  at: number;
  marks: FindingMark[];
}

/** The markers on screen, from left to right. `marks` are in the order of time. */
export function markersOf(marks: readonly FindingMark[], { x, width }: Stage): Marker[] {
  const found: Marker[] = [];
  for (const mark of marks) {
    const at = x.map(mark.start);
    if (at < -HALF || at > width + HALF) continue;
    const last = found.at(-1);
    if (last !== undefined && at - last.at < APART) last.marks.push(mark);
    else found.push({ at, marks: [mark] });
  }
  return found;
}

export const findingOverlay = (marks: readonly FindingMark[], open: (mark: FindingMark) => void): Overlay => ({
  draw(pen, stage) {
    pen.font = `10px ${fontFamily}`;
    pen.textBaseline = 'middle';
    pen.textAlign = 'left';
    for (const { at, marks: here } of markersOf(marks, stage)) {
      pen.fillStyle = stage.ink.amber;
      pen.beginPath();
      pen.moveTo(at, MIDDLE - HALF);
      pen.lineTo(at + HALF, MIDDLE);
      pen.lineTo(at, MIDDLE + HALF);
      pen.lineTo(at - HALF, MIDDLE);
      pen.closePath();
      pen.fill();
      if (here.length > 1) pen.fillText(String(here.length), at + HALF + 1, MIDDLE);
    }
  },
  hit(x, y, stage) {
    if (Math.abs(y - MIDDLE) > HALF + 2 || y > RULER) return null;
    const found = markersOf(marks, stage).find(({ at }) => Math.abs(at - x) <= HALF + 3);
    const first = found?.marks[0];
    if (found === undefined || first === undefined) return null;
    const others = found.marks.length - 1;
    return {
      tip: {
        text: first.title,
        below: '',
        more: [first.text, ...(others > 0 ? [`and ${others} more here; zoom in`] : [])],
      },
      act: () => open(first),
    };
  },
});
