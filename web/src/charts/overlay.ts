// What follows the pointer, drawn above the curves so that moving it never redraws them.
import { drawClipped, type Area, type Layer, type Pen } from '../draw/layer';
import { BRIGHT_WIDTH, fillBand, strokeCurve } from './lines';
import { drawHints, type Scene } from './scene';
import type { Curve } from './types';

export interface Overlay {
  /** The shared cursor's x. */
  readonly x: number | null;
  readonly bright: Curve | null;
  /** Draws the bright line without dashes, as the CPU raster draws the others. */
  readonly solid: boolean;
  /** Points to mark on the lines, in x and y units. */
  readonly dots: readonly { readonly x: number; readonly y: number; readonly colour: string }[];
  readonly selected: readonly [number, number] | number | null;
  /** The rectangle being dragged. */
  readonly box: Area | null;
}

function fillSpan(pen: Pen, { left, right, top, bottom }: Area, colour: string): void {
  pen.fillStyle = colour;
  pen.globalAlpha = 0.12;
  pen.fillRect(left, top, right - left, bottom - top);
  pen.globalAlpha = 1;
}

function verticalLine(pen: Pen, px: number, { top, bottom }: Area): void {
  const at = Math.round(px) + 0.5;
  pen.beginPath();
  pen.moveTo(at, top);
  pen.lineTo(at, bottom);
  pen.stroke();
}

function drawSelected(pen: Pen, scene: Scene, selected: readonly [number, number] | number): void {
  const { area, x, ink } = scene.plot;
  pen.strokeStyle = ink.selection;
  pen.lineWidth = 1;
  if (typeof selected === 'number') verticalLine(pen, x.map(selected), area);
  else {
    const [left, right] = selected.map((value) => x.map(value));
    fillSpan(pen, { ...area, left, right }, ink.selection);
    verticalLine(pen, left, area);
    verticalLine(pen, right, area);
  }
}

function drawDots(pen: Pen, scene: Scene, dots: Overlay['dots']): void {
  const { x, y, ink } = scene.plot;
  pen.lineCap = 'round';
  for (const dot of dots) {
    const [px, py] = [x.map(dot.x), y.map(dot.y)];
    if (Number.isNaN(px + py)) continue;
    // A ring in the panel's colour keeps the dot readable on other lines.
    for (const [colour, width] of [
      [ink.panel, 9],
      [dot.colour, 6],
    ] as const) {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.beginPath();
      pen.moveTo(px, py);
      pen.lineTo(px + 0.01, py);
      pen.stroke();
    }
  }
}

function drawCursor(pen: Pen, scene: Scene, value: number): void {
  pen.strokeStyle = scene.plot.ink.cursor;
  pen.lineWidth = 1;
  pen.setLineDash([3, 3]);
  verticalLine(pen, scene.plot.x.map(value), scene.plot.area);
  pen.setLineDash([]);
}

export function drawOverlay(pen: Pen, scene: Scene, overlay: Overlay): void {
  const { selected, x, bright, dots, box } = overlay;
  const layer: Layer = {
    draw(clipped, plot) {
      if (selected !== null) drawSelected(clipped, scene, selected);
      if (x !== null) drawCursor(clipped, scene, x);
      if (bright) {
        fillBand(clipped, plot, bright);
        strokeCurve(clipped, plot, overlay.solid ? { ...bright, dash: 'solid' } : bright, BRIGHT_WIDTH);
      }
      drawDots(clipped, scene, dots);
      if (box) fillSpan(clipped, box, plot.ink.selection);
    },
  };
  drawClipped(pen, scene.plot, [layer]);
  // Above the curves, which may be dimmed.
  drawHints(pen, scene);
}
