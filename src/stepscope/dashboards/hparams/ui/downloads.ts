// The table as it is sorted and filtered, as CSV, JSON or LaTeX, with numbers in full.
import { csvOf, type Cell } from '$web/widgets/csv';
import { formatValue } from '$web/draw/number';
import type { GridColumn } from './grid';

type Rows = readonly number[];
type Columns = readonly GridColumn[];

/** Columns of a file: a metric of groups has its mean, standard deviation, interval and n. */
function cellsOf(column: GridColumn): { head: string; value: (row: number) => Cell }[] {
  const name =
    column.kind === 'metric' || column.kind === 'hparam' ? column.key.slice(2).replace(/@$/, '') : column.label;
  const { spread } = column;
  const whole = { head: spread === null ? name : `${name}: mean`, value: column.value };
  if (spread === null) return [whole];
  const number = (value: number): Cell => (Number.isNaN(value) ? null : value);
  return [
    whole,
    { head: `${name}: sd`, value: (row) => number(spread(row).sd) },
    { head: `${name}: 95% confidence ±`, value: (row) => number(spread(row).ci95) },
    { head: `${name}: n`, value: (row) => spread(row).n },
  ];
}

export function asCsv(rows: Rows, columns: Columns): string {
  const all = columns.flatMap(cellsOf);
  return csvOf([all.map(({ head }) => head), ...rows.map((row) => all.map(({ value }) => value(row)))]);
}

export function asJson(rows: Rows, columns: Columns): string {
  const all = columns.flatMap(cellsOf);
  const written = (cell: Cell): Cell =>
    typeof cell === 'number' && !Number.isFinite(cell) ? String(cell) : (cell ?? null);
  const objects = rows.map((row) => Object.fromEntries(all.map(({ head, value }) => [head, written(value(row))])));
  return `${JSON.stringify(objects, null, 1)}\n`;
}

const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};

/** Text that LaTeX sets as it is. */
export function latexText(text: string): string {
  return text.replace(/[\\~^&%$#_{}]/g, (one) => SPECIAL[one] ?? `\\${one}`);
}

/** A number to four digits, as tables in papers have them. */
function latexNumber(value: number): string {
  if (!Number.isFinite(value)) return latexText(String(value));
  return `$${formatValue(value, 4)
    .replaceAll('\u2212', '-')
    .replaceAll('\u202f', '\\,')
    .replace(/e(-?\d+)$/, ' \\cdot 10^{$1}')}$`;
}

function latexCell(column: GridColumn, row: number): string {
  const value = column.value(row);
  if (value === undefined) return '--';
  if (typeof value === 'string') return latexText(value);
  const spread = column.spread?.(row);
  return spread === undefined || spread.n < 2
    ? latexNumber(value)
    : `${latexNumber(value)} $\\pm$ ${latexNumber(spread.sd)}`;
}

/** A tabular; groups have mean ± standard deviation. */
export function asLatex(rows: Rows, columns: Columns): string {
  const line = (cells: string[]): string => `  ${cells.join(' & ')} \\\\`;
  return [
    `\\begin{tabular}{${columns.map(({ numeric }) => (numeric ? 'r' : 'l')).join('')}}`,
    '  \\hline',
    line(columns.map(({ label }) => latexText(label))),
    '  \\hline',
    ...rows.map((row) => line(columns.map((column) => latexCell(column, row)))),
    '  \\hline',
    '\\end{tabular}',
    '',
  ].join('\n');
}
