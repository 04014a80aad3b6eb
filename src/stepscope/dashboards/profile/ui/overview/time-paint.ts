// Paints the six groups on a canvas: stacked boxes in their fixed colours, untraced time hatched.
import type { Pen } from '$web/draw/layer';
import { inks, timeColours, type Theme } from '$web/style/theme';
import { GROUP_ORDER } from '../groups';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

function hatch(pen: Pen, { x, y, width, height }: Box, theme: Theme): void {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, width, height);
  pen.clip();
  pen.strokeStyle = inks[theme].panel;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (let from = x - height; from < x + width; from += 6) {
    pen.moveTo(from, y + height);
    pen.lineTo(from + height, y);
  }
  pen.stroke();
  pen.restore();
}

/** Stacks the groups upwards from `bottom`; `scale` turns milliseconds into pixels and `top` is where it ends at the latest. */
export function paintStack(
  pen: Pen,
  groups: readonly number[],
  column: { x: number; width: number },
  { bottom, top, scale }: { bottom: number; top: number; scale: number },
  theme: Theme,
): void {
  let y = bottom;
  groups.forEach((ms, place) => {
    const group = GROUP_ORDER[place];
    if (group === undefined || ms <= 0) return;
    const height = Math.min(ms * scale, y - top);
    if (height <= 0) return;
    y -= height;
    pen.fillStyle = timeColours[theme][group];
    pen.fillRect(column.x, y, column.width, height);
    if (group === 'untraced' && column.width > 3 && height > 3)
      hatch(pen, { x: column.x, y, width: column.width, height }, theme);
  });
}
