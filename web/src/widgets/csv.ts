// Tables as CSV files: what a spreadsheet would run as a formula is shown instead, and what ends cells or lines is quoted.

export type Cell = string | number | null | undefined;

const FORMULA = /^[=+\-@\t\r]/;

function written(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return String(cell);
  const shown = FORMULA.test(cell) && Number.isNaN(Number(cell)) ? `'${cell}` : cell;
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((cells) => cells.map(written).join(',') + '\r\n').join('');
