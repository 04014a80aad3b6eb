// Steps: thin lines at their ends behind the tracks, and the row of steps on the ruler.
import { fontFamily } from '$web/style/theme';
import type { TraceStep } from '$api';
import type { Overlay } from '../overlay';
import { RULER, TIMES } from '../ruler';

/** The steps that have a pixel in the window. */
export function stepsIn(steps: readonly TraceStep[], [from, to]: readonly [number, number]): TraceStep[] {
  return steps.filter(({ start_us: start, end_us: end }) => end > from && start < to);
}

/** Below this many pixels a step has no number. */
const LEAST_STEP = 3;
/** Narrower steps have no lines: they would be a grey wall. */
const LEAST_BAND = 8;

/** Where steps begin and end, behind the tracks. */
export const bandOverlay = (steps: readonly TraceStep[]): Overlay => ({
  draw(pen, { x, width, height, ink }) {
    const shown = stepsIn(steps, x.domain);
    if (shown.length * LEAST_BAND > width) return;
    pen.fillStyle = ink.grid;
    for (const { start_us: start, end_us: end } of shown) {
      pen.fillRect(Math.round(x.map(start)), 0, 1, height);
      pen.fillRect(Math.round(x.map(end)), 0, 1, height);
    }
  },
});

/** The steps on the ruler, with their numbers where there is room. */
export const stepOverlay = (steps: readonly TraceStep[]): Overlay => ({
  draw(pen, { x, width, ink }) {
    pen.font = `11px ${fontFamily}`;
    pen.textBaseline = 'middle';
    pen.textAlign = 'left';
    let free = -Infinity;
    for (const { step, start_us: start, end_us: end, typical } of stepsIn(steps, x.domain)) {
      const [a, b] = [Math.max(0, x.map(start)), Math.min(width, x.map(end))];
      pen.fillStyle = typical ? ink.grid : ink.amber;
      pen.globalAlpha = typical ? 1 : 0.25;
      pen.fillRect(a, TIMES, Math.max(1, b - a - 1), RULER - TIMES - 2);
      pen.globalAlpha = 1;
      const text = b - a > 60 ? `Step ${step}` : String(step);
      const room = pen.measureText(text).width;
      if (b - a < Math.max(LEAST_STEP, room + 4) || a < free) continue;
      pen.fillStyle = ink.text;
      pen.fillText(text, a + 4, TIMES + (RULER - TIMES) / 2 - 1);
      free = a + room + 8;
    }
  },
});
