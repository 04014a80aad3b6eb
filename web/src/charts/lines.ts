// Curves as strokes: the bright line, the raw points faint behind it, bands below.
import { bisectLeft, bisectRight } from 'd3-array';
import type { Hit, Layer, Pen, Plot } from '../draw/layer';
import { makeRaster, packColour, rasterLine, type Raster } from '../draw/raster';
import { readings } from './nearest';
import { brightOf, rawOf, type Strand } from './strands';
import type { Curve, Dash } from './types';

const WIDTH = 1.5;
/** Beyond this many curves lines are hairlines: easier to tell apart, and browsers draw them ten times faster. */
const MOST_WIDE = 12;
const HAIRLINE = 1;
export const BRIGHT_WIDTH = 2;
const DOT = 4.5;
const FAINT = 0.28;
const BAND = 0.16;
const PATTERNS: Record<Dash, number[]> = { solid: [], dashed: [6, 4], dotted: [1.5, 3.5] };

/** A wide line is stroked in pieces of this many points: browsers take ten times as long for a noisy line of a thousand points at once. */
const PIECE = 32;

/** Traces a line; `piece` is how many points one stroke may have. */
function tracePoints(pen: Pen, strand: Strand, { x, y }: Plot, piece: number): void {
  const first = Math.max(0, bisectLeft(strand.x, x.domain[0]) - 1);
  const last = Math.min(strand.x.length - 1, bisectRight(strand.x, x.domain[1]));
  let drawing = false;
  let alone = NaN;
  let traced = 0;
  for (let i = first; i <= last; i += 1) {
    const px = x.map(strand.x[i]);
    const py = y.map(strand.y[i]);
    if (Number.isNaN(px + py)) {
      drawing = false;
      continue;
    }
    if (drawing) pen.lineTo(px, py);
    else {
      pen.moveTo(px, py);
      alone = i;
    }
    drawing = true;
    traced += 1;
    if (traced >= piece) {
      pen.stroke();
      pen.beginPath();
      pen.moveTo(px, py);
      traced = 1;
    }
    // A point with no neighbour would be invisible: a round cap on a tiny line makes it a dot.
    if (alone === i && (i === last || Number.isNaN(y.map(strand.y[i + 1])))) pen.lineTo(px + 0.01, py);
  }
}

function strokeStrands(
  pen: Pen,
  plot: Plot,
  strands: readonly Strand[],
  curve: Curve,
  alpha: number,
  width: number,
): void {
  const newest = strands.reduce((most, strand) => Math.max(most, strand.segment), -Infinity);
  for (const strand of strands) {
    const old = curve.splitSegments && strand.segment < newest;
    pen.globalAlpha = old ? alpha * 0.45 : alpha;
    pen.setLineDash(PATTERNS[curve.dash]);
    pen.lineWidth = strand.x.length === 1 ? DOT : width;
    // Pieces meet in round caps; where the line is translucent or dashed, these would show.
    const inPieces = pen.wholeLines !== true && pen.globalAlpha === 1 && curve.dash === 'solid' && width > HAIRLINE;
    pen.beginPath();
    tracePoints(pen, strand, plot, inPieces ? PIECE : Infinity);
    pen.stroke();
  }
}

/** Draws one curve with its raw points behind. */
export function strokeCurve(pen: Pen, plot: Plot, curve: Curve, width: number): void {
  pen.strokeStyle = curve.colour;
  // Mitred joins would make every peak of a noisy line look higher than it is.
  pen.lineJoin = 'bevel';
  pen.lineCap = 'round';
  if (curve.smooth) strokeStrands(pen, plot, rawOf(curve), curve, FAINT, HAIRLINE);
  strokeStrands(pen, plot, brightOf(curve), curve, 1, width);
  pen.globalAlpha = 1;
  pen.setLineDash([]);
}

/** Fills the band around a group's line. */
export function fillBand(pen: Pen, { x, y }: Plot, curve: Curve, alpha = BAND): void {
  if (!curve.band) return;
  const { x: xs, low, high } = curve.band;
  pen.fillStyle = curve.colour;
  pen.globalAlpha = alpha;
  pen.beginPath();
  let started = false;
  const to = (value: number, i: number): void => {
    const [px, py] = [x.map(xs[i]), y.map(value)];
    if (Number.isNaN(px + py)) return;
    if (started) pen.lineTo(px, py);
    else pen.moveTo(px, py);
    started = true;
  };
  for (let i = 0; i < xs.length; i += 1) to(high[i], i);
  for (let i = xs.length - 1; i >= 0; i -= 1) to(low[i], i);
  pen.closePath();
  if (started) pen.fill();
  pen.globalAlpha = 1;
}

/** All curves as strokes; sharp and dashed, for up to a few hundred. */
export class LinesLayer implements Layer {
  constructor(private readonly curves: readonly Curve[]) {}

  draw(pen: Pen, plot: Plot): void {
    for (const curve of this.curves) fillBand(pen, plot, curve);
    const width = this.curves.length > MOST_WIDE ? HAIRLINE : WIDTH;
    // A dashed validation line would vanish below the noise of its solid training line.
    const solidFirst = [...this.curves].sort((a, b) => Number(a.dash !== 'solid') - Number(b.dash !== 'solid'));
    for (const curve of solidFirst) strokeCurve(pen, plot, curve, width);
  }

  pick(x: number, y: number, plot: Plot): Hit | null {
    const [nearest] = readings(this.curves, plot, x, y);
    return nearest ? { item: nearest.index, distance: nearest.distance } : null;
  }
}

/** Above this many curves strokes take too long, and the CPU raster draws them. */
export const MOST_STROKES = 300;

function rasterStrand(raster: Raster, strand: Strand, plot: Plot, ratio: number, colour: number, id: number): void {
  const { x, y, area } = plot;
  const first = Math.max(0, bisectLeft(strand.x, x.domain[0]) - 1);
  const last = Math.min(strand.x.length - 1, bisectRight(strand.x, x.domain[1]));
  let [ax, ay] = [NaN, NaN];
  for (let i = first; i <= last; i += 1) {
    const bx = (x.map(strand.x[i]) - area.left) * ratio;
    const by = (y.map(strand.y[i]) - area.top) * ratio;
    if (!Number.isNaN(ax + ay + bx + by)) rasterLine(raster, ax, ay, bx, by, colour, id);
    else if (!Number.isNaN(bx + by)) rasterLine(raster, bx, by, bx, by, colour, id);
    ax = bx;
    ay = by;
  }
}

/** All curves drawn on the CPU over the plot area, in device pixels. */
export function rasterCurves(curves: readonly Curve[], plot: Plot, ratio: number): Raster {
  const { left, top, right, bottom } = plot.area;
  const raster = makeRaster(Math.round((right - left) * ratio), Math.round((bottom - top) * ratio));
  curves.forEach((curve, index) => {
    const colour = packColour(curve.colour, 0.85);
    for (const strand of brightOf(curve)) rasterStrand(raster, strand, plot, ratio, colour, index + 1);
  });
  return raster;
}
