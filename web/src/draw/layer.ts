// The drawing core's fixed interface: a Layer draws itself with a Pen, placed by two scales, and says what is under a point.
import type { Ink } from '../style/theme';
import type { Scale } from './scale';

/** The part of a canvas context that layers may use; SvgPen offers the same, so every layer can be exported. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | 'save'
  | 'restore'
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'quadraticCurveTo'
  | 'closePath'
  | 'rect'
  | 'clip'
  | 'stroke'
  | 'fill'
  | 'fillRect'
  | 'fillText'
  | 'measureText'
  | 'setLineDash'
  | 'strokeStyle'
  | 'fillStyle'
  | 'lineWidth'
  | 'lineJoin'
  | 'lineCap'
  | 'globalAlpha'
  | 'font'
  | 'textAlign'
  | 'textBaseline'
> & {
  /** Whether every line stays one path, as in a file that people edit. */
  readonly wholeLines?: boolean;
};

/** A rectangle in CSS pixels. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Where a layer draws: the plot area, its two scales and the theme's colours. */
export interface Plot {
  readonly area: Area;
  readonly x: Scale;
  readonly y: Scale;
  readonly ink: Ink;
}

/** What was found under a point. */
export interface Hit {
  /** Index of the item within its layer. */
  readonly item: number;
  /** Pixels between the point and the item. */
  readonly distance: number;
}

export interface Layer {
  draw(pen: Pen, plot: Plot): void;
  /** The item under or nearest to a point in CSS pixels; layers that are only decoration have no pick. */
  pick?(x: number, y: number, plot: Plot): Hit | null;
}

/** Lines and dots at the very edge of the data keep their full width. */
const EDGE = 3;

/** Draws layers in order, each kept inside the plot area. */
export function drawClipped(pen: Pen, plot: Plot, layers: readonly Layer[]): void {
  const { left, top, right, bottom } = plot.area;
  for (const layer of layers) {
    pen.save();
    pen.beginPath();
    pen.rect(left - EDGE, top - EDGE, right - left + 2 * EDGE, bottom - top + 2 * EDGE);
    pen.clip();
    layer.draw(pen, plot);
    pen.restore();
  }
}

/** The nearest hit of several layers; of equal ones the layer drawn last, which is on top. */
export function pick(layers: readonly Layer[], plot: Plot, x: number, y: number): { layer: Layer; hit: Hit } | null {
  let best: { layer: Layer; hit: Hit } | null = null;
  for (const layer of layers) {
    const hit = layer.pick?.(x, y, plot);
    if (hit && (!best || hit.distance <= best.hit.distance)) best = { layer, hit };
  }
  return best;
}
