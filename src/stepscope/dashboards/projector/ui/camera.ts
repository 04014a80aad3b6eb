// From where the points are seen: turned in three dimensions, moved and zoomed in both; the address keeps it as five numbers.
import { rounded } from '$web/draw/number';

export interface Camera {
  /** Radians around the vertical and the horizontal axis; 0 in two dimensions. */
  turn: number;
  lift: number;
  zoom: number;
  /** Shift of the middle, in parts of the picture's shorter side. */
  x: number;
  y: number;
}

export const FLAT: Camera = { turn: 0, lift: 0, zoom: 1, x: 0, y: 0 };
export const SOLID: Camera = { turn: 0.6, lift: 0.35, zoom: 1, x: 0, y: 0 };

const LEAST_ZOOM = 0.2;
const MOST_ZOOM = 500;

export const turned = (camera: Camera, across: number, up: number): Camera => ({
  ...camera,
  turn: camera.turn + across,
  lift: Math.max(-Math.PI / 2, Math.min(Math.PI / 2, camera.lift + up)),
});

export const moved = (camera: Camera, x: number, y: number): Camera => ({
  ...camera,
  x: camera.x + x,
  y: camera.y + y,
});

/** Zooms so that what is at (x, y), in parts of the shorter side from the middle, stays where it is. */
export function zoomed(camera: Camera, factor: number, x = 0, y = 0): Camera {
  const zoom = Math.max(LEAST_ZOOM, Math.min(MOST_ZOOM, camera.zoom * factor));
  const real = zoom / camera.zoom;
  return { ...camera, zoom, x: x + (camera.x - x) * real, y: y + (camera.y - y) * real };
}

export function writeCamera(camera: Camera): string {
  return [camera.turn, camera.lift, camera.zoom, camera.x, camera.y].map((one) => rounded(one, 3)).join(',');
}

export function readCamera(text: string | null): Camera | null {
  const [turn, lift, zoom, x, y] = (text ?? '').split(',').map(Number);
  if ([turn, lift, zoom, x, y].some((one) => one === undefined || !Number.isFinite(one)) || (zoom ?? 0) <= 0)
    return null;
  return { turn: turn ?? 0, lift: lift ?? 0, zoom: zoom ?? 1, x: x ?? 0, y: y ?? 0 };
}

/** Where points are around their middle; what most of them reach, so that a few far ones do not make all others small. */
export interface Extent {
  middle: [number, number, number];
  reach: number;
}

const SAMPLE = 20_000;
const REACHED = 0.995;

export function extentOf(positions: Float32Array, components: number): Extent {
  const count = positions.length / components;
  const stride = Math.max(1, Math.floor(count / SAMPLE));
  const middle: [number, number, number] = [0, 0, 0];
  let taken = 0;
  for (let i = 0; i < count; i += stride, taken++)
    for (let axis = 0; axis < components; axis++) middle[axis as 0] += positions[i * components + axis] ?? 0;
  for (let axis = 0; axis < 3; axis++) middle[axis as 0] /= Math.max(1, taken);
  const away: number[] = [];
  for (let i = 0; i < count; i += stride) {
    let squared = 0;
    for (let axis = 0; axis < components; axis++)
      squared += ((positions[i * components + axis] ?? 0) - middle[axis as 0]) ** 2;
    away.push(Math.sqrt(squared));
  }
  away.sort((one, other) => one - other);
  const reach = away[Math.min(away.length - 1, Math.ceil(away.length * REACHED))] ?? 0;
  return { middle, reach: reach > 0 && Number.isFinite(reach) ? reach : 1 };
}

export interface Screen {
  width: number;
  height: number;
}

/** x, y in pixels and depth (larger is nearer) of each point, three numbers each. */
export function project(
  positions: Float32Array,
  components: number,
  camera: Camera,
  { middle, reach }: Extent,
  { width, height }: Screen,
  into: Float32Array,
): void {
  const side = Math.min(width, height);
  const [sinT, cosT, sinL, cosL] = [
    Math.sin(camera.turn),
    Math.cos(camera.turn),
    Math.sin(camera.lift),
    Math.cos(camera.lift),
  ];
  const scale = (0.46 * side * camera.zoom) / reach;
  const [left, top] = [width / 2 + camera.x * side, height / 2 + camera.y * side];
  const [mx, my, mz] = middle;
  const count = positions.length / components;
  const solid = components === 3;
  for (let i = 0, from = 0, to = 0; i < count; i++, from += components, to += 3) {
    const x = (positions[from] as number) - mx;
    const y = (positions[from + 1] as number) - my;
    if (!solid) {
      into[to] = left + x * scale;
      into[to + 1] = top - y * scale;
      into[to + 2] = 0;
      continue;
    }
    const z = (positions[from + 2] as number) - mz;
    const across = x * cosT - z * sinT;
    const back = x * sinT + z * cosT;
    const up = y * cosL - back * sinL;
    const near = (y * sinL + back * cosL) / reach;
    const perspective = 3 / Math.max(0.3, 3 - near);
    into[to] = left + across * scale * perspective;
    into[to + 1] = top - up * scale * perspective;
    into[to + 2] = near;
  }
}
