// Long wide lines are stroked in pieces on the screen, which meet where they part; files and translucent lines stay whole.
import { expect, it } from 'vitest';
import { curveOf, plotOf } from './fixture';
import { strokeCurve } from './lines';
import { recordingPen } from './recording-pen';
import type { Curve } from './types';

const noisy = Array.from({ length: 1000 }, (_, i) => Math.sin(i * 777));
const plot = plotOf([0, 1000], [-1, 1]);

function strokes(curve: Curve, width: number, wholeLines = false): [number, number][][] {
  const { pen, paths } = recordingPen();
  strokeCurve(Object.assign(pen, { wholeLines }), plot, curve, width);
  return paths.filter(({ stroke }) => stroke !== null).map(({ corners }) => corners);
}

it('joins the pieces without a gap', () => {
  const pieces = strokes(curveOf(noisy), 2);
  expect(pieces.length).toBeGreaterThan(20);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(32);
  pieces.slice(1).forEach((piece, i) => expect(piece[0]).toEqual(pieces[i].at(-1)));
  const corners = pieces.flatMap((piece, i) => (i === 0 ? piece : piece.slice(1)));
  expect(corners).toEqual(noisy.map((value, i) => [plot.x.map(i), plot.y.map(value)]));
});

it('keeps hairlines, dashes, translucent lines and lines in files whole', () => {
  const smooth = { x: Float64Array.of(0, 1), y: Float64Array.of(0, 0), segment: new Int32Array(2) };
  expect(strokes(curveOf(noisy), 1)).toHaveLength(1);
  expect(strokes(curveOf(noisy, { dash: 'dashed' }), 2)).toHaveLength(1);
  expect(strokes(curveOf(noisy, { smooth }), 2)).toHaveLength(2);
  expect(strokes(curveOf(noisy), 2, true)).toHaveLength(1);
});
