// How much longer a step is than the one of another profile beside it, on the ruler.
import { fontFamily } from '$web/style/theme';
import type { TraceStep } from '$api';
import type { Overlay } from '../overlay';
import { stepsIn } from '../overlays/steps';
import { RULER, TIMES } from '../ruler';
import { durationText } from '../window';

/** Less than this share of a step is not worth amber. */
const NOTABLE = 0.01;
/** Room for the number of the step before it. */
const NUMBER = 60;

/** `+1.2 ms`, with a real minus, or that nothing differs. */
export function differenceText(us: number): string {
  if (us === 0) return '±0';
  return `${us > 0 ? '+' : '−'}${durationText(Math.abs(us))}`;
}

/** The difference of each step at the end of its box, where there is room. */
export const differenceOverlay = (steps: readonly TraceStep[], differences: ReadonlyMap<number, number>): Overlay => ({
  draw(pen, { x, width, ink }) {
    pen.font = `11px ${fontFamily}`;
    pen.textBaseline = 'middle';
    for (const { step, start_us: start, end_us: end } of stepsIn(steps, x.domain)) {
      const difference = differences.get(step);
      if (difference === undefined) continue;
      const [a, b] = [Math.max(0, x.map(start)), Math.min(width, x.map(end))];
      if (b - a <= NUMBER) continue;
      const text = differenceText(difference);
      if (pen.measureText(text).width + NUMBER > b - a) continue;
      pen.fillStyle = difference > NOTABLE * (end - start) ? ink.amber : ink.textSoft;
      pen.textAlign = 'right';
      pen.fillText(text, b - 6, TIMES + (RULER - TIMES) / 2 - 1);
      pen.textAlign = 'left';
    }
  },
});
