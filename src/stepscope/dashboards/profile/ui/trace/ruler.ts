// The ruler above the tracks: times, the steps below them, and marks where a search found something.
import type { Pen } from '$web/draw/layer';
import { fontFamily, type Ink } from '$web/style/theme';
import type { TraceStep } from '$api';
import { lengthOf, rulerTimes, timeText, type Window } from './window';

export const RULER = 42;
const TIMES = 20;

interface Place {
  window: Window;
  width: number;
  left: number;
  ink: Ink;
}

/** The steps that have a pixel in the window. */
export function stepsIn(steps: readonly TraceStep[], [from, to]: Window): TraceStep[] {
  return steps.filter(({ start_us: start, end_us: end }) => end > from && start < to);
}

/** Below this many pixels a step has no number. */
const LEAST_STEP = 3;

export function drawRuler(pen: Pen, steps: readonly TraceStep[], hits: readonly number[], place: Place): void {
  const { window, width, left, ink } = place;
  const x = (time: number): number => left + ((time - window[0]) / lengthOf(window)) * width;
  pen.font = `11px ${fontFamily}`;
  pen.textBaseline = 'middle';
  pen.textAlign = 'left';
  for (const time of rulerTimes(window, width)) {
    pen.fillStyle = ink.grid;
    pen.fillRect(Math.round(x(time)), 0, 1, RULER);
    pen.fillStyle = ink.textSoft;
    pen.fillText(timeText(time, window), x(time) + 4, TIMES / 2);
  }
  let free = -Infinity;
  for (const { step, start_us: start, end_us: end, typical } of stepsIn(steps, window)) {
    const [a, b] = [Math.max(left, x(start)), Math.min(left + width, x(end))];
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
  pen.fillStyle = ink.selection;
  let drawn = -Infinity;
  for (const time of hits) {
    const at = Math.round(x(time));
    if (at < left || at > left + width || at === drawn) continue;
    pen.fillRect(at, RULER - 6, 2, 6);
    drawn = at;
  }
}

/** Every second step is a little darker behind the tracks, where steps are wide enough to be told apart. */
export function drawBands(
  pen: Pen,
  steps: readonly TraceStep[],
  height: number,
  { window, width, left, ink }: Place,
): void {
  const x = (time: number): number => left + ((time - window[0]) / lengthOf(window)) * width;
  const shown = stepsIn(steps, window);
  if (shown.length * 8 > width) return;
  pen.fillStyle = ink.grid;
  for (const { start_us: start, end_us: end } of shown) {
    pen.fillRect(Math.round(x(start)), 0, 1, height);
    pen.fillRect(Math.round(x(end)), 0, 1, height);
  }
}
