// How wide a text is when drawn.
let context: CanvasRenderingContext2D | null | undefined;

/** Width in CSS pixels; without a canvas, as in tests, six pixels a character. */
export function textWidth(text: string, font: string): number {
  return measure(text, font).width;
}

export function measure(text: string, font: string): TextMetrics {
  context ??= document.createElement('canvas').getContext('2d');
  if (!context) return { width: text.length * 6 } as TextMetrics;
  context.font = font;
  return context.measureText(text);
}
