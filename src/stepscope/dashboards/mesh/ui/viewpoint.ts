// From where meshes are looked at: turned, moved nearer and shifted by hand; and the matrices that say it to the graphics card.

export interface Viewpoint {
  /** Around the vertical axis and up, in radians. */
  turn: number;
  lift: number;
  /** How many times nearer than where everything is seen. */
  near: number;
  /** In shares of the picture's height. */
  shift: readonly [number, number];
}

export const START: Viewpoint = { turn: 0.6, lift: 0.4, near: 1, shift: [0, 0] };
const HIGHEST = Math.PI / 2 - 0.001;
const NEAR = [0.05, 100] as const;
const FURTHEST = [-10, 10] as const;
export const DEFAULT_FOV = 45;
const MARGIN = 1.03;

const clamp = (value: number, [least, most]: readonly [number, number]): number =>
  Math.min(most, Math.max(least, value));

export function turned(from: Viewpoint, across: number, down: number): Viewpoint {
  return { ...from, turn: (from.turn - across) % (2 * Math.PI), lift: clamp(from.lift + down, [-HIGHEST, HIGHEST]) };
}

export function nearer(from: Viewpoint, factor: number): Viewpoint {
  return { ...from, near: clamp(from.near * factor, NEAR) };
}

export function shifted(from: Viewpoint, across: number, up: number): Viewpoint {
  return { ...from, shift: [from.shift[0] + across, from.shift[1] + up] };
}

/** As the address keeps it. */
export function numbersOf({ turn, lift, near, shift }: Viewpoint): readonly number[] {
  return [turn, lift, near, ...shift];
}

/** From numbers of any size; without five of them it is the start. */
export function viewpointOf(numbers: readonly number[] | null): Viewpoint {
  const [turn, lift, near, across, up] = numbers ?? [];
  if (turn === undefined || lift === undefined || near === undefined || across === undefined || up === undefined)
    return START;
  const shift = [clamp(across, FURTHEST), clamp(up, FURTHEST)] as const;
  return { turn: turn % (2 * Math.PI), lift: clamp(lift, [-HIGHEST, HIGHEST]), near: clamp(near, NEAR), shift };
}

export interface Extent {
  middle: readonly [number, number, number];
  /** From the middle to the furthest vertex; never 0. */
  reach: number;
}

export function extentOf(vertices: Float32Array): Extent {
  const least = [Infinity, Infinity, Infinity];
  const most = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < vertices.length; i++) {
    const [axis, value] = [i % 3, vertices[i] ?? 0];
    least[axis] = Math.min(least[axis] ?? 0, value);
    most[axis] = Math.max(most[axis] ?? 0, value);
  }
  if (vertices.length < 3) return { middle: [0, 0, 0], reach: 1 };
  const [x = 0, y = 0, z = 0] = [0, 1, 2].map((axis) => ((least[axis] ?? 0) + (most[axis] ?? 0)) / 2);
  let squared = 0;
  for (let i = 0; i < vertices.length; i += 3) {
    const away = ((vertices[i] ?? 0) - x) ** 2 + ((vertices[i + 1] ?? 0) - y) ** 2 + ((vertices[i + 2] ?? 0) - z) ** 2;
    if (away > squared) squared = away;
  }
  return { middle: [x, y, z], reach: squared > 0 ? Math.sqrt(squared) : 1 };
}

/** How what is far is drawn: as small as `fov` degrees say, or as large as what is near. */
export type Projection = number | 'orthographic';

/** Column by column, as WebGL takes them: clip space from the mesh's own coordinates. */
export function matrixOf(
  view: Viewpoint,
  { middle, reach }: Extent,
  projection: Projection,
  aspect: number,
): Float32Array {
  const fov = projection === 'orthographic' ? DEFAULT_FOV : projection;
  const zoom = 1 / Math.tan((fov * Math.PI) / 360);
  // At this distance a ball around everything just fits.
  const distance = MARGIN / Math.sin((fov * Math.PI) / 360) / view.near;
  const [sinT, cosT, sinL, cosL] = [Math.sin(view.turn), Math.cos(view.turn), Math.sin(view.lift), Math.cos(view.lift)];
  const scale = 1 / reach;
  const rotation = [
    [cosT, 0, -sinT],
    [-sinT * sinL, cosL, -cosT * sinL],
    [sinT * cosL, sinL, cosT * cosL],
  ] as const;
  const rows = rotation.map((row) => {
    const moved = row[0] * middle[0] + row[1] * middle[1] + row[2] * middle[2];
    return [row[0] * scale, row[1] * scale, row[2] * scale, -moved * scale];
  });
  const [right = [], up = [], back = []] = rows;
  const [closest, furthest] = [Math.max(0.001, distance - MARGIN), distance + MARGIN];
  const matrix = new Float32Array(16);
  if (projection === 'orthographic') {
    const scaled = view.near / MARGIN;
    for (let column = 0; column < 4; column++) {
      const offset = column === 3 ? 1 : 0;
      matrix[column * 4] = (scaled * (right[column] ?? 0)) / aspect + (offset * view.shift[0] * 2) / aspect;
      matrix[column * 4 + 1] = scaled * (up[column] ?? 0) + offset * view.shift[1] * 2;
      matrix[column * 4 + 2] = -(back[column] ?? 0) / MARGIN;
      matrix[column * 4 + 3] = offset;
    }
    return matrix;
  }
  for (let column = 0; column < 4; column++) {
    const depth = (back[column] ?? 0) - (column === 3 ? distance : 0);
    const offset = column === 3 ? 1 : 0;
    matrix[column * 4] = (zoom / aspect) * (right[column] ?? 0) - depth * ((view.shift[0] * 2) / aspect);
    matrix[column * 4 + 1] = zoom * (up[column] ?? 0) - depth * (view.shift[1] * 2);
    matrix[column * 4 + 2] = ((closest + furthest) * depth + 2 * closest * furthest * offset) / (closest - furthest);
    matrix[column * 4 + 3] = -depth;
  }
  return matrix;
}
