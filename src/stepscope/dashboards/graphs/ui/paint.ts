// Draws a laid-out graph with a pen: only what is on screen, and text in the size that it has there, so that it is always sharp.
import { mix } from '$web/draw/colour';
import type { Pen } from '$web/draw/layer';
import { fontFamily, type Ink } from '$web/style/theme';
import type { Box, Camera, Size } from './camera';
import type { Paint } from './colours';
import {
  HEADER,
  NAME_SIZE,
  overlap,
  SIGN,
  SMALL_SIZE,
  STACK,
  type Placed,
  type PlacedEdge,
  type PlacedRow,
} from './layout';

export interface Look {
  readonly camera: Camera;
  readonly screen: Size;
  readonly ink: Ink;
  /** By row. */
  readonly paints: readonly Paint[];
  readonly selected: number;
  readonly hovered: number;
  /** Place of the edge under the pointer. */
  readonly hoveredEdge: number;
  /** Colours of marks at the corner of rows. */
  readonly marks: ReadonlyMap<number, string>;
  /** Whether only traced rows stand out. */
  readonly tracing: boolean;
  /** Where a row is while it moves; where it belongs otherwise. */
  readonly boxOf: (row: PlacedRow) => Box;
  /** Lines appear once the boxes have arrived. */
  readonly lines: number;
}

const RADIUS = 6;
const BEND = 6;
const FAINT = 0.22;
/** Pixels below which text would be dust. */
const LEAST_TEXT = 5;
/** Scale below which lines have neither arrows nor round bends. */
const COARSE = 0.28;

export function paintGraph(pen: Pen, placed: Placed, look: Look): number {
  const seen: Box = {
    x: look.camera.x,
    y: look.camera.y,
    width: look.screen.width / look.camera.scale,
    height: look.screen.height / look.camera.scale,
  };
  const painter = new Painter(pen, look);
  const visible = placed.rows.filter((row) => overlap(look.boxOf(row), seen));
  for (const row of visible) if (row.row.open) painter.scope(row, depthOf(placed, row));
  if (look.lines > 0) {
    const bright: PlacedEdge[] = [];
    placed.edges.forEach((edge, place) => {
      if (edge.points.length === 0 || !overlap(around(edge.box), seen)) return;
      if (isBright(edge, place, look)) bright.push(edge);
      else painter.edge(edge, placed, false);
    });
    // Above all others.
    for (const edge of bright) painter.edge(edge, placed, true);
    for (const edge of placed.edges)
      if (edge.points.length === 0 && ofSelected(edge, look)) painter.hidden(edge, placed);
  }
  for (const row of visible) if (!row.row.open) painter.row(row);
  if (look.lines > 0) painter.labels(placed.edges, seen);
  return visible.length;
}

const around = ({ x, y, width, height }: Box): Box => ({ x: x - 4, y: y - 4, width: width + 8, height: height + 8 });

const ofSelected = ({ edge }: PlacedEdge, { selected, hovered }: Look): boolean =>
  edge.source === selected || edge.target === selected || edge.source === hovered || edge.target === hovered;

const isBright = (edge: PlacedEdge, place: number, look: Look): boolean =>
  place === look.hoveredEdge || edge.edge.source === look.selected || edge.edge.target === look.selected;

function depthOf(placed: Placed, { row }: PlacedRow): number {
  let depth = 0;
  for (let at = row.parent; at !== null; at = placed.rows[at]?.row.parent ?? null) depth++;
  return depth;
}

class Painter {
  private readonly scale: number;

  constructor(
    private readonly pen: Pen,
    private readonly look: Look,
  ) {
    this.scale = look.camera.scale;
  }

  private x(x: number): number {
    return (x - this.look.camera.x) * this.scale;
  }

  private y(y: number): number {
    return (y - this.look.camera.y) * this.scale;
  }

  /** An open scope: its ground, and its name in a row of its own. */
  scope(row: PlacedRow, depth: number): void {
    const { ink, selected, hovered } = this.look;
    const box = this.look.boxOf(row);
    this.pen.globalAlpha = this.alphaOf(row);
    this.outline(box, RADIUS + 2);
    this.pen.fillStyle = mix(ink.panel, ink.axis, 0.045 + 0.03 * (depth % 4));
    this.pen.fill();
    this.border(row.index === selected, row.index === hovered, mix(ink.panel, ink.axis, 0.32), false);
    const room = { x: box.x + 12, y: box.y, width: box.width - 24 - SIGN, height: HEADER };
    this.text(row.name, room.x, box.y + HEADER / 2 + 1, NAME_SIZE, ink.text, '600', 'left', room.width);
    this.sign(row, { ...box, height: HEADER }, ink.textSoft);
    this.mark(row, box);
    this.pen.globalAlpha = 1;
  }

  row(row: PlacedRow): void {
    const { ink, selected, hovered } = this.look;
    const paint = this.look.paints[row.index];
    if (paint === undefined) return;
    const box = this.look.boxOf(row);
    const { pen } = this;
    pen.globalAlpha = this.alphaOf(row);
    if (row.height * this.scale < 4) {
      pen.fillStyle = row.index === selected ? ink.selection : paint.line;
      pen.fillRect(
        this.x(box.x),
        this.y(box.y),
        Math.max(1, box.width * this.scale),
        Math.max(1, box.height * this.scale),
      );
      pen.globalAlpha = 1;
      return;
    }
    const radius = row.row.kind === 'node' ? 12 : RADIUS;
    if (row.row.kind === 'series')
      for (const away of [2 * STACK, STACK]) {
        this.outline({ ...box, x: box.x + away, y: box.y + away }, radius);
        pen.fillStyle = paint.fill;
        pen.fill();
        this.border(false, false, paint.line, false);
      }
    this.stub(row, box);
    this.outline(box, radius);
    pen.fillStyle = paint.fill;
    pen.fill();
    this.border(row.index === selected, row.index === hovered, paint.line, row.row.aside || row.row.kind === 'rest');
    const middle = box.x + (box.width - (row.sign === '' ? 0 : SIGN)) / 2;
    const weight = row.row.kind === 'node' ? '' : '600';
    if (row.detail === '')
      this.text(row.name, middle, box.y + box.height / 2 + 0.5, NAME_SIZE, paint.text, weight, 'center');
    else {
      this.text(row.name, middle, box.y + 15, NAME_SIZE, paint.text, weight, 'center');
      this.text(row.detail, middle, box.y + 29.5, SMALL_SIZE, paint.soft, '', 'center');
    }
    this.sign(row, box, paint.soft);
    this.mark(row, box);
    pen.globalAlpha = 1;
  }

  edge({ edge, points, width }: PlacedEdge, placed: Placed, bright: boolean): void {
    const { ink, tracing } = this.look;
    const { pen, scale } = this;
    const reached =
      tracing && (placed.rows[edge.source]?.row.traced ?? 0) > 0 && (placed.rows[edge.target]?.row.traced ?? 0) > 0;
    const colour = bright || reached ? ink.selection : mix(ink.panel, ink.axis, edge.tensors === 0 ? 0.5 : 0.62);
    pen.globalAlpha = this.look.lines * (tracing && !reached && !bright ? FAINT : 1);
    pen.strokeStyle = colour;
    pen.lineWidth = Math.max(0.5, (width + (bright ? 0.6 : 0)) * Math.max(scale, 0.35));
    pen.lineJoin = 'round';
    pen.setLineDash(edge.tensors === 0 ? [4 * Math.max(0.5, scale), 3 * Math.max(0.5, scale)] : []);
    const arrow = scale < COARSE ? 0 : 5 + width;
    const last = points.length - 2;
    const [toX, toY] = [points[last] as number, points[last + 1] as number];
    const [fromX, fromY] = [points[last - 2] as number, points[last - 1] as number];
    const length = Math.hypot(toX - fromX, toY - fromY) || 1;
    const [ux, uy] = [(toX - fromX) / length, (toY - fromY) / length];
    const cut = Math.min(arrow, length) * 0.8;
    this.bent([...points.slice(0, last), toX - ux * cut, toY - uy * cut]);
    pen.stroke();
    pen.setLineDash([]);
    if (arrow > 0) this.arrow(toX, toY, ux, uy, arrow, colour);
    pen.globalAlpha = 1;
  }

  /** To or from what stands aside: drawn only for what is selected or pointed at. */
  hidden({ edge }: PlacedEdge, placed: Placed): void {
    const [from, to] = [placed.rows[edge.source], placed.rows[edge.target]];
    if (from === undefined || to === undefined) return;
    const { pen } = this;
    const centre = ({ x, y, width, height }: Box): [number, number] => [x + width / 2, y + height / 2];
    const [[x0, y0], [x1, y1]] = [centre(this.look.boxOf(from)), centre(this.look.boxOf(to))];
    pen.globalAlpha = this.look.lines * 0.8;
    pen.strokeStyle = this.look.ink.selection;
    pen.lineWidth = Math.max(0.75, this.scale);
    pen.setLineDash(edge.tensors === 0 ? [4, 3] : []);
    pen.beginPath();
    pen.moveTo(this.x(x0), this.y(y0));
    pen.lineTo(this.x(x1), this.y(y1));
    pen.stroke();
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  labels(edges: readonly PlacedEdge[], seen: Box): void {
    if (SMALL_SIZE * this.scale < 7.5) return;
    for (const edge of edges) {
      if (edge.label === null || !overlap({ ...edge.label, width: 160, height: SMALL_SIZE }, seen)) continue;
      this.pen.globalAlpha = this.look.lines * (this.look.tracing ? 0.6 : 1);
      this.text(edge.label.text, edge.label.x, edge.label.y, SMALL_SIZE, this.look.ink.textSoft, '', 'left');
    }
    this.pen.globalAlpha = 1;
  }

  private alphaOf({ row }: PlacedRow): number {
    return this.look.tracing && row.traced === 0 ? FAINT : 1;
  }

  private outline(box: Box, radius: number): void {
    const { pen } = this;
    const [left, top] = [this.x(box.x), this.y(box.y)];
    const [right, bottom] = [left + box.width * this.scale, top + box.height * this.scale];
    const round = Math.min(radius * this.scale, (right - left) / 2, (bottom - top) / 2);
    pen.beginPath();
    pen.moveTo(left + round, top);
    pen.lineTo(right - round, top);
    pen.quadraticCurveTo(right, top, right, top + round);
    pen.lineTo(right, bottom - round);
    pen.quadraticCurveTo(right, bottom, right - round, bottom);
    pen.lineTo(left + round, bottom);
    pen.quadraticCurveTo(left, bottom, left, bottom - round);
    pen.lineTo(left, top + round);
    pen.quadraticCurveTo(left, top, left + round, top);
    pen.closePath();
  }

  private border(selected: boolean, hovered: boolean, line: string, dashed: boolean): void {
    const { pen } = this;
    pen.strokeStyle = selected ? this.look.ink.selection : hovered ? this.look.ink.axis : line;
    pen.lineWidth = selected ? 2.5 : hovered ? 1.5 : Math.max(0.6, Math.min(1.25, this.scale));
    pen.setLineDash(dashed && !selected ? [4 * this.scale, 3 * this.scale] : []);
    pen.stroke();
    pen.setLineDash([]);
  }

  private text(
    words: string,
    x: number,
    y: number,
    size: number,
    colour: string,
    weight: string,
    align: CanvasTextAlign,
    room = Infinity,
  ): void {
    const pixels = size * this.scale;
    if (words === '' || pixels < LEAST_TEXT) return;
    const { pen } = this;
    pen.font = `${weight === '' ? '' : `${weight} `}${Math.round(pixels * 100) / 100}px ${fontFamily}`;
    pen.textAlign = align;
    pen.textBaseline = 'middle';
    pen.fillStyle = colour;
    if (room < 40) return;
    pen.fillText(words, this.x(x), this.y(y));
  }

  private sign(row: PlacedRow, box: Box, colour: string): void {
    if (row.sign === '') return;
    const [x, y] = [box.x + box.width - SIGN / 2 - 5, box.y + box.height / 2];
    if (row.sign === 'ƒ') {
      this.text('ƒ', x, y, NAME_SIZE + 1, colour, '', 'center');
      return;
    }
    if (this.scale < COARSE) return;
    const { pen } = this;
    const arm = 4 * this.scale;
    pen.strokeStyle = colour;
    pen.lineWidth = Math.max(0.8, 1.4 * this.scale);
    pen.beginPath();
    pen.moveTo(this.x(x) - arm, this.y(y));
    pen.lineTo(this.x(x) + arm, this.y(y));
    if (row.sign === '+') {
      pen.moveTo(this.x(x), this.y(y) - arm);
      pen.lineTo(this.x(x), this.y(y) + arm);
    }
    pen.stroke();
  }

  /** A short line with a knob: it is connected to something that stands aside. */
  private stub({ stubs }: PlacedRow, box: Box): void {
    if (stubs === 0 || this.scale < COARSE) return;
    const { pen } = this;
    const [x, y] = [this.x(box.x), this.y(box.y + box.height / 2)];
    const reach = 7 * this.scale;
    pen.strokeStyle = pen.fillStyle = mix(this.look.ink.panel, this.look.ink.axis, 0.62);
    pen.lineWidth = Math.max(0.6, this.scale);
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x - reach, y);
    pen.stroke();
    const knob = 4 * this.scale;
    pen.fillRect(x - reach - knob / 2, y - knob / 2, knob, knob);
  }

  private mark(row: PlacedRow, box: Box): void {
    const colour = this.look.marks.get(row.index);
    if (colour === undefined) return;
    const side = Math.max(5, 9 * this.scale) / this.scale;
    this.outline({ x: box.x - side / 2, y: box.y - side / 2, width: side, height: side }, side / 2);
    this.pen.fillStyle = colour;
    this.pen.fill();
    this.pen.strokeStyle = this.look.ink.panel;
    this.pen.lineWidth = 1.5;
    this.pen.stroke();
  }

  /** A line of straight pieces whose corners are rounded. */
  private bent(points: readonly number[]): void {
    const { pen } = this;
    pen.beginPath();
    pen.moveTo(this.x(points[0] as number), this.y(points[1] as number));
    const last = points.length - 2;
    for (let i = 2; i < last; i += 2) {
      const [x, y] = [points[i] as number, points[i + 1] as number];
      if (this.scale < COARSE) {
        pen.lineTo(this.x(x), this.y(y));
        continue;
      }
      const [beforeX, beforeY] = [points[i - 2] as number, points[i - 1] as number];
      const [afterX, afterY] = [points[i + 2] as number, points[i + 3] as number];
      const before = Math.hypot(beforeX - x, beforeY - y) || 1;
      const after = Math.hypot(afterX - x, afterY - y) || 1;
      const [near, far] = [Math.min(BEND, before / 2) / before, Math.min(BEND, after / 2) / after];
      pen.lineTo(this.x(x + (beforeX - x) * near), this.y(y + (beforeY - y) * near));
      pen.quadraticCurveTo(this.x(x), this.y(y), this.x(x + (afterX - x) * far), this.y(y + (afterY - y) * far));
    }
    pen.lineTo(this.x(points[last] as number), this.y(points[last + 1] as number));
  }

  private arrow(x: number, y: number, ux: number, uy: number, size: number, colour: string): void {
    const { pen } = this;
    const half = size * 0.5;
    pen.fillStyle = colour;
    pen.beginPath();
    pen.moveTo(this.x(x), this.y(y));
    pen.lineTo(this.x(x - ux * size - uy * half), this.y(y - uy * size + ux * half));
    pen.lineTo(this.x(x - ux * size + uy * half), this.y(y - uy * size - ux * half));
    pen.closePath();
    pen.fill();
  }
}
