// Where each call of a flame graph is: a box as wide as its time, below its caller, the longest first.
import type { CallRow } from '$api';

export interface FlameBox {
  /** Place of its row in the answer. */
  row: number;
  level: number;
  /** From 0 to 1, of what is shown. */
  left: number;
  right: number;
}

/** The rows with their callers: from a row to the top. */
export function callersOf(rows: readonly CallRow[], row: number | null): number[] {
  const found: number[] = [];
  for (let at = row; at !== null; at = rows[at]?.parent ?? null) found.push(at);
  return found;
}

/** Boxes of at least `least` of the width. With a row chosen, it is as wide as everything, and so are its callers. */
export function layOutCalls(rows: readonly CallRow[], total: number, chosen: number | null, least: number): FlameBox[] {
  const whole = new Set(callersOf(rows, chosen));
  const size = chosen === null ? total : (rows[chosen]?.wall_us ?? total);
  const boxes: FlameBox[] = [];
  const placed = new Map<number, FlameBox>();
  /** Where the next call of a caller begins; −1 is the top. */
  const next = new Map<number, number>();
  rows.forEach((row, place) => {
    const above = row.parent === null ? undefined : placed.get(row.parent);
    if (row.parent !== null && above === undefined) return;
    const inside = row.parent !== null && !whole.has(row.parent);
    // Beside the chosen row and its callers nothing is shown; below the chosen one everything.
    const open = whole.has(place) || chosen === null || inside || row.parent === chosen;
    if (!open) return;
    const from = whole.has(place) ? 0 : (next.get(row.parent ?? -1) ?? above?.left ?? 0);
    const wide = whole.has(place) ? 1 : row.wall_us / Math.max(size, Number.MIN_VALUE);
    if (!whole.has(place)) next.set(row.parent ?? -1, from + wide);
    if (wide < least) return;
    const box = { row: place, level: row.level, left: from, right: from + wide };
    placed.set(place, box);
    boxes.push(box);
  });
  return boxes;
}

/** The box to go to by an arrow key: the caller, its longest call, or the one before or after at the same level. */
export function boxBeside(
  boxes: readonly FlameBox[],
  rows: readonly CallRow[],
  from: FlameBox,
  key: string,
): FlameBox | undefined {
  const parent = rows[from.row]?.parent ?? null;
  if (key === 'ArrowUp') return boxes.find(({ row }) => row === parent);
  if (key === 'ArrowDown') return boxes.find(({ row }) => rows[row]?.parent === from.row);
  const level = boxes.filter((box) => box.level === from.level).sort((a, b) => a.left - b.left);
  const place = level.findIndex(({ row }) => row === from.row);
  return level[place + (key === 'ArrowRight' ? 1 : -1)];
}
