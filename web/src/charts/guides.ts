// What stands beside the data of a chart: a limit, a trend, a marked point, and moments such as restarts.
import type { Layer, Pen, Plot } from '../draw/layer';
import { fontFamily, type Ink } from '../style/theme';

export type Tone = 'quiet' | 'amber' | 'red';

export interface Guides {
  /** Dashed from edge to edge, with a name above its right end. */
  readonly levels?: readonly { readonly y: number; readonly label: string; readonly tone: Tone }[];
  /** Dashed between two points, in x and y units. */
  readonly lines?: readonly {
    readonly from: readonly [number, number];
    readonly to: readonly [number, number];
    readonly tone: Tone;
  }[];
  /** Vertical hairlines. */
  readonly moments?: readonly { readonly x: number; readonly label: string }[];
  /** Rings with a name beside them. */
  readonly points?: readonly { readonly x: number; readonly y: number; readonly label: string }[];
}

const FONT = `12px ${fontFamily}`;
const RING = 4;
const CORNERS = 16;
const GAP = 8;
/** Names of moments closer than this would lie on each other. */
const APART = 60;

const colourOf = (tone: Tone, ink: Ink): string =>
  tone === 'amber' ? ink.amber : tone === 'red' ? ink.red : ink.textSoft;

function dashed(pen: Pen, colour: string, from: readonly [number, number], to: readonly [number, number]): void {
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  pen.setLineDash([5, 4]);
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...to);
  pen.stroke();
  pen.setLineDash([]);
}

/** Text that stays readable on lines. */
function named(pen: Pen, ink: Ink, text: string, x: number, y: number, colour: string): void {
  const { width } = pen.measureText(text);
  pen.fillStyle = ink.panel;
  pen.globalAlpha = 0.8;
  pen.fillRect(x - (pen.textAlign === 'right' ? width : 0) - 2, y - 8, width + 4, 16);
  pen.globalAlpha = 1;
  pen.fillStyle = colour;
  pen.fillText(text, x, y);
}

/** A ring of straight pieces: pens have no arcs. */
function ring(pen: Pen, x: number, y: number): void {
  pen.beginPath();
  for (let corner = 0; corner < CORNERS; corner += 1) {
    const angle = (2 * Math.PI * corner) / CORNERS;
    const [px, py] = [x + RING * Math.cos(angle), y + RING * Math.sin(angle)];
    if (corner === 0) pen.moveTo(px, py);
    else pen.lineTo(px, py);
  }
  pen.closePath();
}

export class GuidesLayer implements Layer {
  constructor(private readonly guides: Guides) {}

  draw(pen: Pen, plot: Plot): void {
    pen.font = FONT;
    pen.textBaseline = 'middle';
    this.drawMoments(pen, plot);
    this.drawLines(pen, plot);
    this.drawPoints(pen, plot);
  }

  private drawMoments(pen: Pen, { area, x, ink }: Plot): void {
    pen.textAlign = 'left';
    let free = -Infinity;
    for (const moment of this.guides.moments ?? []) {
      const at = Math.round(x.map(moment.x)) + 0.5;
      if (!(at >= area.left && at <= area.right)) continue;
      pen.strokeStyle = ink.cursor;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(at, area.top);
      pen.lineTo(at, area.bottom);
      pen.stroke();
      const fits = at > free && at + GAP + pen.measureText(moment.label).width <= area.right;
      if (fits) named(pen, ink, moment.label, at + 4, area.bottom - GAP, ink.textSoft);
      if (fits) free = at + APART;
    }
  }

  private drawLines(pen: Pen, { area, x, y, ink }: Plot): void {
    for (const { from, to, tone } of this.guides.lines ?? [])
      dashed(pen, colourOf(tone, ink), [x.map(from[0]), y.map(from[1])], [x.map(to[0]), y.map(to[1])]);
    pen.textAlign = 'left';
    for (const { y: level, label, tone } of this.guides.levels ?? []) {
      const at = Math.round(y.map(level)) + 0.5;
      if (!(at >= area.top && at <= area.bottom)) continue;
      dashed(pen, colourOf(tone, ink), [area.left, at], [area.right, at]);
      const under = at - area.top < 2 * GAP;
      named(pen, ink, label, area.left + 4, under ? at + GAP + 2 : at - GAP - 2, colourOf(tone, ink));
    }
  }

  private drawPoints(pen: Pen, { area, x, y, ink }: Plot): void {
    for (const point of this.guides.points ?? []) {
      const [px, py] = [x.map(point.x), y.map(point.y)];
      if (!(px >= area.left && px <= area.right && py >= area.top && py <= area.bottom)) continue;
      ring(pen, px, py);
      pen.fillStyle = ink.panel;
      pen.fill();
      pen.strokeStyle = ink.text;
      pen.lineWidth = 1.5;
      pen.stroke();
      const { width } = pen.measureText(point.label);
      const leftwards = px + GAP + width > area.right;
      pen.textAlign = leftwards ? 'right' : 'left';
      const low = py - area.top < 2 * GAP;
      named(pen, ink, point.label, px + (leftwards ? -GAP : GAP), low ? py + GAP + 2 : py - GAP - 2, ink.text);
    }
  }
}
