// A chart as a file of its own, with title, axes and legend.
import type { Pen } from '../draw/layer';
import { shortenMiddle } from '../draw/number';
import { SvgPen } from '../draw/svg';
import { fontFamily, type Ink } from '../style/theme';
import { measure, textWidth } from './measure';
import { buildScene, drawData, drawFrame, drawHints, FONT, type Scene } from './scene';
import type { ChartOptions, Curve } from './types';

const TITLE = 28;
const ROW = 18;
const MARGIN = 12;
const MOST_NAMES = 40;

interface Entry {
  readonly text: string;
  readonly curve: Curve | null;
  readonly x: number;
  readonly row: number;
}

function legend(curves: readonly Curve[], width: number): Entry[] {
  const names = curves
    .slice(0, MOST_NAMES)
    .map((curve) => ({ text: shortenMiddle(curve.label, 48), curve: curve as Curve | null }));
  if (curves.length > MOST_NAMES) names.push({ text: `and ${curves.length - MOST_NAMES} more`, curve: null });
  let [x, row] = [MARGIN, 0];
  return names.map(({ text, curve }) => {
    const room = textWidth(text, FONT) + (curve ? 20 : 0) + 16;
    if (x + room > width && x > MARGIN) {
      x = MARGIN;
      row += 1;
    }
    const entry = { text, curve, x, row };
    x += room;
    return entry;
  });
}

interface Page {
  readonly width: number;
  readonly height: number;
  draw(pen: Pen): void;
}

function layOut(
  curves: readonly Curve[],
  options: ChartOptions,
  width: number,
  chart: number,
  ink: Ink,
  title: string,
): Page {
  const entries = legend(curves, width);
  const under = entries.length === 0 ? 8 : ((entries.at(-1)?.row ?? 0) + 1) * ROW + 12;
  const height = chart + TITLE + under;
  const size = { width, height, above: TITLE, under };
  const scene: Scene = buildScene(curves, { ...options, directLabels: false }, size, ink);
  return {
    width,
    height,
    draw(pen) {
      pen.fillStyle = ink.panel;
      pen.fillRect(0, 0, width, height);
      pen.font = `600 13px ${fontFamily}`;
      pen.fillStyle = ink.text;
      pen.textBaseline = 'middle';
      pen.fillText(shortenMiddle(title, Math.floor(width / 7)), MARGIN, TITLE / 2 + 4);
      drawFrame(pen, scene);
      drawData(pen, scene);
      drawHints(pen, scene);
      drawLegend(pen, entries, height - under + 12, ink);
    },
  };
}

function drawLegend(pen: Pen, entries: readonly Entry[], top: number, ink: Ink): void {
  pen.font = FONT;
  pen.textAlign = 'left';
  pen.textBaseline = 'middle';
  for (const { text, curve, x, row } of entries) {
    const y = top + row * ROW;
    if (curve) {
      pen.strokeStyle = curve.colour;
      pen.lineWidth = 2;
      pen.setLineDash(curve.dash === 'solid' ? [] : curve.dash === 'dashed' ? [4, 2] : [2, 2]);
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + 14, y);
      pen.stroke();
      pen.setLineDash([]);
    }
    pen.fillStyle = curve ? ink.text : ink.textSoft;
    pen.fillText(text, curve ? x + 20 : x, y);
  }
}

export function chartToSVG(
  curves: readonly Curve[],
  options: ChartOptions,
  width: number,
  height: number,
  ink: Ink,
  title: string,
): string {
  const page = layOut(curves, options, width, height, ink, title);
  const pen = new SvgPen(page.width, page.height, measure);
  page.draw(pen);
  return pen.toString(title);
}

/** A PNG with two pixels per CSS pixel, sharp enough to print. */
export function chartToPNG(
  curves: readonly Curve[],
  options: ChartOptions,
  width: number,
  height: number,
  ink: Ink,
  title: string,
): Promise<Blob> {
  const page = layOut(curves, options, width, height, ink, title);
  const canvas = document.createElement('canvas');
  canvas.width = page.width * 2;
  canvas.height = page.height * 2;
  const context = canvas.getContext('2d');
  if (!context) return Promise.reject(new Error('This browser has no canvas. Use another browser to save images.'));
  context.scale(2, 2);
  page.draw(context);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error('The image is too large for this browser. Make the chart smaller.'));
    }, 'image/png');
  });
}
