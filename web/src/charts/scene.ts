// A chart laid out and ready to draw: scales, ticks, labels and notes, from curves, options and a size.
import { formatCount, formatDay, formatTime } from '../draw/number';
import { drawClipped, type Layer, type Pen, type Plot } from '../draw/layer';
import { makeScale, type Interval, type Scale, type ScaleKind } from '../draw/scale';
import { labelledTicks, wholeTicks, type Tick } from '../draw/ticks';
import { fontFamily, type Ink } from '../style/theme';
import { isLogX, xDomain, yShown, type Shown } from './domain';
import { GuidesLayer } from './guides';
import { endLabels, labelNames, MOST_LABELS, type EndLabel } from './labels';
import { LinesLayer } from './lines';
import { MarksLayer } from './marks';
import { textWidth } from './measure';
import type { ChartOptions, Curve } from './types';

export const FONT = `12px ${fontFamily}`;
const BOTTOM = 24;
const TOP = 8;
const LABEL_GAP = 6;
const LABEL_DASH = 10;

export interface Scene {
  readonly plot: Plot;
  readonly curves: readonly Curve[];
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  readonly xLabel: string;
  readonly yLabel: string;
  readonly labels: readonly EndLabel[];
  /** What the chart does not show, in words. */
  readonly notes: readonly { readonly text: string; readonly at: 'top' | 'bottom' }[];
  readonly layers: readonly Layer[];
}

export interface Size {
  readonly width: number;
  readonly height: number;
  /** Kept free above and below, for a title and a legend. */
  readonly above?: number;
  readonly under?: number;
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

function xKind(options: ChartOptions): ScaleKind {
  if (options.xAxis === 'wall') return 'wall';
  if (isLogX(options)) return 'log';
  return options.xAxis === 'relative' ? 'duration' : 'linear';
}

function plural(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function notesOf({ above, below, notPositive, reduced }: Shown): Scene['notes'] {
  const notes: { text: string; at: 'top' | 'bottom' }[] = [];
  const values = (count: number): string => `${reduced ? 'at least ' : ''}${plural(count, 'value', 'values')}`;
  if (above > 0) notes.push({ text: `▲ ${values(above)} outside`, at: 'top' });
  if (below > 0) notes.push({ text: `▼ ${values(below)} outside`, at: 'bottom' });
  if (notPositive > 0) notes.push({ text: `${values(notPositive)} ≤ 0 hidden by the log axis`, at: 'top' });
  return notes;
}

/** Ticks that are clock times do not say which day it is, and those that are seconds not which minute: the axis does. */
function axisLabel(options: ChartOptions, x: Scale, ticks: readonly Tick[]): string {
  if (options.xAxis !== 'wall') return options.xLabel;
  if (ticks.some((tick) => tick.label.endsWith('s'))) return formatTime(x.domain[0]).slice(0, -':00'.length);
  if (ticks.some((tick) => !tick.label.includes(':'))) return options.xLabel;
  return `${options.xLabel}, ${formatDay(x.domain[0])}`;
}

export function buildScene(curves: readonly Curve[], options: ChartOptions, size: Size, ink: Ink): Scene {
  const { width, height, above = 0, under = 0 } = size;
  const top = above + TOP + (options.yLabel ? 16 : 0);
  const bottom = Math.max(top + 20, height - under - BOTTOM);
  const xRange: Interval = xDomain(curves, options);
  const shown = yShown(curves, options, xRange);
  const y = makeScale(options.logY ? 'log' : 'linear', shown.domain, [bottom, top]);
  const yTicks = labelledTicks(y, clamp(Math.round((bottom - top) / 44), 3, 6));
  // In steps of 8 pixels, so that the plot does not twitch when a digit is added.
  const widest = yTicks.reduce((most, tick) => Math.max(most, textWidth(tick.label, FONT)), 0);
  const left = clamp(Math.ceil((widest + 10) / 8) * 8, 32, Math.max(32, width / 3));
  const labelled = options.directLabels && curves.length <= MOST_LABELS && curves.length > 0 && width >= 320;
  const beside = LABEL_GAP * 3 + LABEL_DASH;
  const most = Math.max(72, width * 0.3) - beside;
  const names = labelled ? labelNames(curves, most, FONT) : [];
  const longest = names.reduce((widest, text) => Math.max(widest, textWidth(text, FONT)), 0);
  const labelRoom = labelled ? Math.min(longest, most) + beside : 0;
  const right = Math.max(left + 20, width - Math.max(12, Math.ceil(labelRoom / 8) * 8));
  const x = makeScale(xKind(options), xRange, [left, right]);
  const plot: Plot = { area: { left, top, right, bottom }, x, y, ink };
  const empty = curves.every((curve) => curve.xExtent === null && curve.x.length === 0);
  const ticks = empty ? [] : labelledTicks(x, clamp(Math.round((right - left) / 70), 3, 6));
  const xTicks = options.xAxis === 'step' ? wholeTicks(ticks) : ticks;
  return {
    plot,
    curves,
    xTicks,
    yTicks: empty ? [] : yTicks,
    xLabel: empty ? '' : axisLabel(options, x, xTicks),
    yLabel: options.yLabel ?? '',
    labels: labelled ? endLabels(curves, names, plot, width - right - beside, FONT) : [],
    notes: notesOf(shown),
    layers: [
      new LinesLayer(curves),
      new MarksLayer(curves),
      ...(options.guides === undefined ? [] : [new GuidesLayer(options.guides)]),
    ],
  };
}

function drawTicks(pen: Pen, scene: Scene): void {
  const { area, x, y, ink } = scene.plot;
  pen.lineWidth = 1;
  pen.strokeStyle = ink.grid;
  pen.fillStyle = ink.axis;
  pen.beginPath();
  // Half pixels keep hairlines one pixel wide.
  for (const { value } of scene.yTicks) {
    const at = Math.round(y.map(value)) + 0.5;
    pen.moveTo(area.left, at);
    pen.lineTo(area.right, at);
  }
  for (const { value } of scene.xTicks) {
    const at = Math.round(x.map(value)) + 0.5;
    pen.moveTo(at, area.top);
    pen.lineTo(at, area.bottom);
  }
  pen.stroke();
  pen.textAlign = 'right';
  pen.textBaseline = 'middle';
  for (const { value, label } of scene.yTicks) pen.fillText(label, area.left - 6, y.map(value));
}

function drawXLabels(pen: Pen, scene: Scene): void {
  const { area, x, ink } = scene.plot;
  const base = area.bottom + 8;
  pen.textBaseline = 'top';
  pen.fillStyle = ink.textSoft;
  pen.textAlign = 'right';
  pen.fillText(scene.xLabel, area.right, base);
  const end = area.right - textWidth(scene.xLabel, FONT) - 10;
  pen.textAlign = 'center';
  pen.fillStyle = ink.axis;
  let free = 0;
  for (const { value, label } of scene.xTicks) {
    const half = textWidth(label, FONT) / 2;
    const at = Math.max(x.map(value), half);
    if (at - half < free || (scene.xLabel !== '' && at + half > end)) continue;
    pen.fillText(label, at, base);
    free = at + half + 8;
  }
}

function drawEndLabels(pen: Pen, scene: Scene): void {
  const { area, ink } = scene.plot;
  pen.textAlign = 'left';
  pen.textBaseline = 'middle';
  for (const label of scene.labels) {
    pen.strokeStyle = label.colour;
    pen.lineWidth = 2;
    pen.setLineDash(label.dash === 'solid' ? [] : label.dash === 'dashed' ? [4, 2] : [2, 2]);
    pen.beginPath();
    pen.moveTo(area.right + LABEL_GAP, label.y);
    pen.lineTo(area.right + LABEL_GAP + LABEL_DASH, label.y);
    pen.stroke();
    pen.setLineDash([]);
    pen.fillStyle = ink.text;
    pen.fillText(label.text, area.right + LABEL_GAP * 2 + LABEL_DASH, label.y);
  }
}

function drawNotes(pen: Pen, scene: Scene): void {
  const { area, ink } = scene.plot;
  const rows = { top: 0, bottom: 0 };
  pen.textAlign = 'right';
  for (const { text, at } of scene.notes) {
    const middle = at === 'top' ? area.top + 9 + rows.top * 18 : area.bottom - 17 - rows.bottom * 18;
    rows[at] += 1;
    const width = textWidth(text, FONT);
    pen.fillStyle = ink.panel;
    pen.globalAlpha = 0.85;
    pen.fillRect(area.right - width - 8, middle - 9, width + 8, 18);
    pen.globalAlpha = 1;
    pen.fillStyle = ink.amber;
    pen.textBaseline = 'middle';
    pen.fillText(text, area.right - 4, middle);
  }
}

/** Everything below the curves: grid, axes and names. */
export function drawFrame(pen: Pen, scene: Scene): void {
  pen.font = FONT;
  drawTicks(pen, scene);
  drawXLabels(pen, scene);
  drawEndLabels(pen, scene);
  if (scene.yLabel) {
    pen.textAlign = 'left';
    pen.textBaseline = 'top';
    pen.fillStyle = scene.plot.ink.textSoft;
    pen.fillText(scene.yLabel, 0, scene.plot.area.top - 18);
  }
}

/** The curves and what is on them. */
export function drawData(pen: Pen, scene: Scene): void {
  drawClipped(pen, scene.plot, scene.layers);
}

/** What the chart leaves out, in words over the curves. */
export function drawHints(pen: Pen, scene: Scene): void {
  pen.font = FONT;
  drawNotes(pen, scene);
}
