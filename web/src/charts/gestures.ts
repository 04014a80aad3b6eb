// What a drag, a wheel turn or a key means for the shown range.
import type { Area, Plot } from '../draw/layer';
import { shifted, zoomed, type Interval } from '../draw/scale';

export type DragKind = 'zoom' | 'pan' | 'range';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Shorter movements are clicks. */
export const CLICK = 4;
/** A drag that stays within this height or width selects along one axis only. */
const STRAIGHT = 14;

export function dragKind(keys: { shiftKey: boolean; altKey: boolean }): DragKind {
  if (keys.shiftKey) return 'pan';
  return keys.altKey ? 'range' : 'zoom';
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

const inside = (point: Point, { left, right, top, bottom }: Area): Point => ({
  x: clamp(point.x, left, right),
  y: clamp(point.y, top, bottom),
});

/** The rectangle that a zoom drag marks: full height or width when the drag is straight. */
export function zoomBox(from: Point, to: Point, area: Area): Area & { readonly axes: 'x' | 'y' | 'both' } {
  const [a, b] = [inside(from, area), inside(to, area)];
  const [wide, high] = [Math.abs(b.x - a.x), Math.abs(b.y - a.y)];
  const axes = high < STRAIGHT ? 'x' : wide < STRAIGHT ? 'y' : 'both';
  return {
    left: axes === 'y' ? area.left : Math.min(a.x, b.x),
    right: axes === 'y' ? area.right : Math.max(a.x, b.x),
    top: axes === 'x' ? area.top : Math.min(a.y, b.y),
    bottom: axes === 'x' ? area.bottom : Math.max(a.y, b.y),
    axes,
  };
}

/** The ranges after a zoom drag; null keeps an axis as it is. */
export function zoomTo(from: Point, to: Point, plot: Plot): { x: [number, number] | null; y: [number, number] | null } {
  const box = zoomBox(from, to, plot.area);
  return {
    x: box.axes === 'y' ? null : [plot.x.invert(box.left), plot.x.invert(box.right)],
    y: box.axes === 'x' ? null : [plot.y.invert(box.bottom), plot.y.invert(box.top)],
  };
}

/** The ranges after panning; y moves only when it was fixed or the drag is clearly vertical. */
export function panTo(from: Point, to: Point, plot: Plot): { x: [number, number]; y: [number, number] | null } {
  const { left, right, top, bottom } = plot.area;
  const [dx, dy] = [(from.x - to.x) / (right - left), (to.y - from.y) / (bottom - top)];
  return {
    x: shifted(plot.x, dx),
    y: Math.abs(to.y - from.y) > STRAIGHT ? shifted(plot.y, dy) : null,
  };
}

/** The x range marked by alt + drag, ascending. */
export function rangeOf(from: Point, to: Point, plot: Plot): [number, number] {
  const [a, b] = [inside(from, plot.area), inside(to, plot.area)];
  return [plot.x.invert(Math.min(a.x, b.x)), plot.x.invert(Math.max(a.x, b.x))];
}

/** The x range after a wheel turn at a point: 100 pixels of wheel are about a quarter of the range. */
export function wheelZoom(plot: Plot, deltaY: number, atX: number): [number, number] {
  const factor = Math.exp(clamp(deltaY, -400, 400) * 0.0025);
  return zoomed(plot.x, factor, plot.x.invert(clamp(atX, plot.area.left, plot.area.right)));
}

/** The x range after + or −, around the cursor or the middle. */
export function keyZoom(plot: Plot, closer: boolean, cursor: number | null): [number, number] {
  const middle = plot.x.invert((plot.area.left + plot.area.right) / 2);
  const [low, high]: Interval = plot.x.domain;
  const centre = cursor !== null && cursor >= low && cursor <= high ? cursor : middle;
  return zoomed(plot.x, closer ? 0.6 : 1 / 0.6, centre);
}
