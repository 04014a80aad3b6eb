// The ruler has round times, a band for each step on screen, and one mark per pixel for what a search found.
import { describe, expect, it } from 'vitest';
import { inks } from '$web/style/theme';
import type { Pen } from '$web/draw/layer';
import type { TraceStep } from '$api';
import { drawBands, drawRuler, RULER, stepsIn } from './ruler';

const steps: TraceStep[] = Array.from({ length: 10 }, (_, step) => ({
  step,
  start_us: step * 100,
  end_us: (step + 1) * 100,
  typical: step !== 0,
}));

function recording(): { pen: Pen; rects: number[][]; texts: string[] } {
  const rects: number[][] = [];
  const texts: string[] = [];
  const pen = {
    fillRect: (...box: number[]) => rects.push(box),
    fillText: (text: string) => texts.push(text),
    measureText: (text: string) => ({ width: text.length * 6 }),
  } as unknown as Pen;
  return { pen, rects, texts };
}

const place = { window: [0, 1000] as const, width: 1000, left: 0, ink: inks.light };

describe('the ruler', () => {
  it('numbers the steps that are on screen', () => {
    expect(stepsIn(steps, [150, 301]).map(({ step }) => step)).toEqual([1, 2, 3]);
    const { pen, texts } = recording();
    drawRuler(pen, steps, [], place);
    expect(texts.filter((text) => text.startsWith('Step'))).toEqual(steps.map(({ step }) => `Step ${step}`));
  });

  it('leaves numbers out where they have no room', () => {
    const { pen, texts } = recording();
    drawRuler(pen, steps, [], { ...place, width: 60 });
    expect(texts.some((text) => text.startsWith('Step'))).toBe(false);
  });

  it('marks what was found once a pixel', () => {
    const { pen, rects } = recording();
    drawRuler(pen, [], [500, 500.1, 500.2, 700, 5000], place);
    expect(rects.filter(([, y]) => y === RULER - 6).map(([x]) => x)).toEqual([500, 700]);
  });

  it('draws borders of steps unless they would cover everything', () => {
    const few = recording();
    drawBands(few.pen, steps, 300, place);
    expect(few.rects.map(([x]) => x)).toEqual(steps.flatMap(({ start_us, end_us }) => [start_us, end_us]));
    const many = recording();
    drawBands(many.pen, steps, 300, { ...place, width: 50 });
    expect(many.rects).toEqual([]);
  });
});
