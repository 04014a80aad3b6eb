// How wide a text is when drawn.
import { shortenMiddle } from '../draw/number';

let context: CanvasRenderingContext2D | null | undefined;

/** Width in CSS pixels; without a canvas, as in tests, six pixels a character. */
export function textWidth(text: string, font: string): number {
  return measure(text, font).width;
}

/** Shortens a text in the middle until it fits into `room` pixels. */
export function fitMiddle(text: string, room: number, font: string): string {
  const whole = textWidth(text, font);
  if (whole <= room) return text;
  let length = Math.floor((Array.from(text).length * room) / whole) + 1;
  while (length > 3 && textWidth(shortenMiddle(text, length), font) > room) length -= 1;
  return shortenMiddle(text, length);
}

export function measure(text: string, font: string): TextMetrics {
  context ??= document.createElement('canvas').getContext('2d');
  if (!context) return { width: text.length * 6 } as TextMetrics;
  context.font = font;
  return context.measureText(text);
}
