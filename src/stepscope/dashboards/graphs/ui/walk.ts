// Which row an arrow key goes to, and which row or edge is under the pointer.
import type { Box } from './camera';
import { HEADER, SIGN, type Placed, type PlacedRow } from './layout';

export type Way = 'up' | 'down' | 'left' | 'right';

const centre = ({ x, y, width, height }: Box): [number, number] => [x + width / 2, y + height / 2];

/** Up and down follow edges, left and right go to what stands beside; where there is none, to the nearest row that way. */
export function step(placed: Placed, from: number, way: Way): number {
  const start = placed.rows[from];
  if (start === undefined) return placed.rows.findIndex(({ row }) => !row.open);
  if (way === 'up' || way === 'down') {
    const joined = placed.edges.flatMap(({ edge }) =>
      way === 'down' ? (edge.source === from ? [edge.target] : []) : edge.target === from ? [edge.source] : [],
    );
    const along = nearest(placed, start, joined);
    if (along >= 0) return along;
  }
  const [x, y] = centre(start);
  const others = placed.rows.flatMap((row) => {
    if (row.index === from || row.row.open) return [];
    const [dx, dy] = [centre(row)[0] - x, centre(row)[1] - y];
    const [ahead, beside] =
      way === 'up' ? [-dy, dx] : way === 'down' ? [dy, dx] : way === 'left' ? [-dx, dy] : [dx, dy];
    return ahead > 1 ? [{ index: row.index, far: ahead + 3 * Math.abs(beside) }] : [];
  });
  others.sort((one, other) => one.far - other.far);
  return others[0]?.index ?? from;
}

function nearest(placed: Placed, start: PlacedRow, among: readonly number[]): number {
  const [x, y] = centre(start);
  let [best, least] = [-1, Infinity];
  for (const index of among) {
    const row = placed.rows[index];
    if (row === undefined) continue;
    const [otherX, otherY] = centre(row);
    const far = Math.hypot(otherX - x, otherY - y);
    if (far < least) [best, least] = [index, far];
  }
  return best;
}

const contains = (box: Box, x: number, y: number): boolean =>
  x >= box.x && y >= box.y && x <= box.x + box.width && y <= box.y + box.height;

export interface UnderPointer {
  row: PlacedRow;
  /** On the sign that opens or closes it. */
  onSign: boolean;
  /** On the ground of an open scope, not on its name. */
  onGround: boolean;
}

/** The innermost row at a point of the graph. */
export function rowAt(placed: Placed, x: number, y: number): UnderPointer | null {
  let scope: PlacedRow | null = null;
  for (let i = placed.rows.length - 1; i >= 0; i--) {
    const row = placed.rows[i] as PlacedRow;
    if (!contains(row, x, y)) continue;
    if (!row.row.open) return { row, onSign: row.sign !== '' && x > row.x + row.width - SIGN - 5, onGround: false };
    // Rows inside of a scope come after it, but siblings of another one too: the smallest is the innermost.
    if (scope === null || row.width * row.height < scope.width * scope.height) scope = row;
  }
  if (scope === null) return null;
  const onHeader = y <= scope.y + HEADER;
  return { row: scope, onSign: onHeader && x > scope.x + scope.width - SIGN - 5, onGround: !onHeader };
}

/** Place of the nearest edge within `reach` of a point; −1 for none. */
export function edgeAt(placed: Placed, x: number, y: number, reach: number): number {
  let [best, least] = [-1, reach];
  placed.edges.forEach(({ points, box }, place) => {
    if (points.length === 0) return;
    const near = { x: box.x - reach, y: box.y - reach, width: box.width + 2 * reach, height: box.height + 2 * reach };
    if (!contains(near, x, y)) return;
    for (let i = 0; i + 3 < points.length; i += 2) {
      const far = distance(x, y, points.slice(i, i + 4) as unknown as Piece);
      if (far < least) [best, least] = [place, far];
    }
  });
  return best;
}

type Piece = readonly [number, number, number, number];

function distance(x: number, y: number, [x0, y0, x1, y1]: Piece): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const long = dx * dx + dy * dy;
  const share = long === 0 ? 0 : Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / long));
  return Math.hypot(x - x0 - share * dx, y - y0 - share * dy);
}
