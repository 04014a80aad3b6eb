// The whole picture of a graph as a file: SVG, or PNG at twice the size of the screen's where that is not too large.
import { measure } from '$web/charts/measure';
import type { Pen } from '$web/draw/layer';
import { SvgPen } from '$web/draw/svg';
import type { Ink } from '$web/style/theme';
import type { Paint } from './colours';
import type { Placed } from './layout';
import { paintGraph, type Look } from './paint';

const MARGIN = 24;
/** Browsers refuse larger canvases. */
const MOST_SIDE = 16_000;
const MOST_PIXELS = 120_000_000;

export interface Pictured {
  placed: Placed;
  paints: readonly Paint[];
  marks: ReadonlyMap<number, string>;
  tracing: boolean;
  ink: Ink;
}

function drawAll(pen: Pen, { placed, paints, marks, tracing, ink }: Pictured, scale: number): void {
  const screen = { width: (placed.width + 2 * MARGIN) * scale, height: (placed.height + 2 * MARGIN) * scale };
  pen.fillStyle = ink.panel;
  pen.fillRect(0, 0, screen.width, screen.height);
  const look: Look = {
    camera: { x: -MARGIN, y: -MARGIN, scale },
    screen,
    ink,
    paints,
    selected: -1,
    hovered: -1,
    hoveredEdge: -1,
    marks,
    tracing,
    boxOf: (row) => row,
    lines: 1,
  };
  paintGraph(pen, placed, look);
}

export function svgOf(pictured: Pictured, title: string): string {
  const { width, height } = pictured.placed;
  const pen = new SvgPen(width + 2 * MARGIN, height + 2 * MARGIN, measure);
  drawAll(pen, pictured, 1);
  return pen.toString(title);
}

/** How many pixels a unit of the graph may have. */
export function scaleOf(width: number, height: number): number {
  const [wide, tall] = [width + 2 * MARGIN, height + 2 * MARGIN];
  return Math.min(2, MOST_SIDE / wide, MOST_SIDE / tall, Math.sqrt(MOST_PIXELS / (wide * tall)));
}

export function pngOf(pictured: Pictured): Promise<Blob | null> {
  const { width, height } = pictured.placed;
  const scale = scaleOf(width, height);
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil((width + 2 * MARGIN) * scale);
  canvas.height = Math.ceil((height + 2 * MARGIN) * scale);
  const pen = canvas.getContext('2d');
  if (pen === null) return Promise.resolve(null);
  drawAll(pen, pictured, scale);
  return new Promise((done) => canvas.toBlob(done, 'image/png'));
}
