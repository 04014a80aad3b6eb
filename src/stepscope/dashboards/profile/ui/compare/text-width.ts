// How wide words of 12 px are, for labels that must not touch.
import { fontFamily } from '$web/style/theme';

const PER_LETTER = 7;
let pen: CanvasRenderingContext2D | null | undefined;

/** Pixels; without a canvas, a guess by letters. */
export function measureText(text: string): number {
  pen ??= typeof document === 'undefined' ? null : document.createElement('canvas').getContext('2d');
  if (pen === null) return PER_LETTER * text.length;
  pen.font = `12px ${fontFamily}`;
  return pen.measureText(text).width;
}
