// Steps: thin lines at their ends behind the tracks, and the row of steps on the ruler.
import { fontFamily } from '$web/style/theme';
import type { TraceStep } from '$api';
import type { Overlay } from '../overlay';
import { RULER, TIMES } from '../ruler';

/** The steps that have a pixel in the window; they are in the order of time and do not overlap. */
export function stepsIn(steps: readonly TraceStep[], [from, to]: readonly [number, number]): TraceStep[] {
  return steps.slice(
    firstThat(steps, ({ end_us: end }) => end > from),
    firstThat(steps, ({ start_us: start }) => start >= to),
  );
}

/** The place of the first step for which `is` holds, which holds for all after it too. */
function firstThat(steps: readonly TraceStep[], is: (step: TraceStep) => boolean): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (is(steps[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Below this many pixels a step has no number and shares its box with those that begin in the same pixel. */
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

/** A box on the ruler: one step, or the narrow ones that begin in one pixel. */
interface StepBox {
  from: number;
  to: number;
  typical: boolean;
  /** Of the one step in it. */
  step: number | null;
}

/** As many boxes as the window has room for, however many steps it shows. */
export function boxesOf(steps: readonly TraceStep[], x: { map: (us: number) => number }, width: number): StepBox[] {
  const boxes: StepBox[] = [];
  let last: StepBox | null = null;
  for (const { step, start_us: start, end_us: end, typical } of steps) {
    const from = Math.max(0, x.map(start));
    const to = Math.min(width, x.map(end));
    if (last !== null && to - from < LEAST_STEP && Math.floor(from) === Math.floor(last.from)) {
      // Tens of thousands of steps are gone through for every frame, so the box that is there is changed.
      last.to = to;
      last.typical &&= typical;
      last.step = null;
    } else {
      last = { from, to, typical, step };
      boxes.push(last);
    }
  }
  return boxes;
}

/** The steps on the ruler, with their numbers where there is room. */
export const stepOverlay = (steps: readonly TraceStep[]): Overlay => ({
  draw(pen, { x, width, ink }) {
    pen.font = `11px ${fontFamily}`;
    pen.textBaseline = 'middle';
    pen.textAlign = 'left';
    let free = -Infinity;
    for (const { from, to, typical, step } of boxesOf(stepsIn(steps, x.domain), x, width)) {
      pen.fillStyle = typical ? ink.grid : ink.amber;
      pen.globalAlpha = typical ? 1 : 0.25;
      pen.fillRect(from, TIMES, Math.max(1, to - from - 1), RULER - TIMES - 2);
      pen.globalAlpha = 1;
      if (step === null || to - from < LEAST_STEP || from < free) continue;
      const text = to - from > 60 ? `Step ${step}` : String(step);
      const room = pen.measureText(text).width;
      if (to - from < room + 4) continue;
      pen.fillStyle = ink.text;
      pen.fillText(text, from + 4, TIMES + (RULER - TIMES) / 2 - 1);
      free = from + room + 8;
    }
  },
});
