// How the strings of a tensor stand on the page: one text, or rows and columns.

export interface Table {
  /** The places of a row in all dimensions but the last; empty for a table of two dimensions or fewer. */
  labels: string[];
  rows: string[][];
}

/** Null for one string alone, which is a text. */
export function tableOf(shape: readonly number[], cells: readonly string[]): Table | null {
  const count = shape.reduce((product, size) => product * size, 1);
  if (count <= 1 && cells.length <= 1) return null;
  const columns = shape.length >= 2 ? Math.max(1, shape[shape.length - 1] ?? 1) : 1;
  const rows: string[][] = [];
  for (let start = 0; start < cells.length; start += columns) rows.push(cells.slice(start, start + columns));
  const outer = shape.slice(0, -1);
  const labels = shape.length > 2 ? rows.map((_, row) => `[${placesOf(row, outer).join(', ')}]`) : [];
  return { labels, rows };
}

function placesOf(row: number, outer: readonly number[]): number[] {
  const places: number[] = [];
  let rest = row;
  for (const size of [...outer].reverse()) {
    places.unshift(rest % Math.max(1, size));
    rest = Math.floor(rest / Math.max(1, size));
  }
  return places;
}
