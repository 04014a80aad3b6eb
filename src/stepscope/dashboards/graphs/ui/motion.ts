// A short movement from one picture of a graph to the next, so that the eye can follow what opened and where it went.
import type { Box, Camera } from './camera';
import type { Placed, PlacedRow } from './layout';

export const MOVE_MS = 160;
/** Share of the movement after which lines appear. */
const LINES_FROM = 0.55;

export interface Motion {
  readonly start: number;
  readonly from: Camera;
  /** Where rows were before, by path; empty when only the camera moves. */
  readonly boxes: ReadonlyMap<string, Box>;
}

const eased = (share: number): number => 1 - (1 - share) ** 3;
const between = (from: number, to: number, share: number): number => from + (to - from) * share;

/** Where rows were in the picture before, moved by as much as the camera was. */
export function boxesOf(placed: Placed, dx: number, dy: number): Map<string, Box> {
  return new Map(
    placed.rows.map(({ row, x, y, width, height }) => [row.path, { x: x + dx, y: y + dy, width, height }]),
  );
}

export interface Moment {
  readonly camera: Camera;
  readonly boxOf: (row: PlacedRow) => Box;
  readonly lines: number;
  readonly over: boolean;
}

const STILL = { boxOf: (row: PlacedRow): Box => row, lines: 1, over: true };

export function momentOf(motion: Motion | null, to: Camera, placed: Placed, now: number): Moment {
  const passed = motion === null ? 1 : Math.max(0, Math.min(1, (now - motion.start) / MOVE_MS));
  if (motion === null || passed >= 1) return { ...STILL, camera: to };
  const share = eased(passed);
  const { from, boxes } = motion;
  const camera = {
    x: between(from.x, to.x, share),
    y: between(from.y, to.y, share),
    scale: between(from.scale, to.scale, share),
  };
  if (boxes.size === 0) return { ...STILL, camera, over: false };
  /** What is new comes out of the scope that it is in. */
  const before = (row: PlacedRow): Box | undefined => {
    const own = boxes.get(row.row.path);
    if (own !== undefined || row.row.parent === null) return own;
    const parent = placed.rows[row.row.parent];
    const around = parent === undefined ? undefined : before(parent);
    return around === undefined
      ? undefined
      : { x: around.x + (around.width - row.width) / 2, y: around.y, width: row.width, height: row.height };
  };
  return {
    camera,
    boxOf: (row) => {
      const old = before(row);
      if (old === undefined) return row;
      return {
        x: between(old.x, row.x, share),
        y: between(old.y, row.y, share),
        width: between(old.width, row.width, share),
        height: between(old.height, row.height, share),
      };
    },
    lines: Math.max(0, (passed - LINES_FROM) / (1 - LINES_FROM)),
    over: false,
  };
}
