// Values of a result as people read them, by the unit of their column.
import type { SqlColumn } from '$api';
import { formatBytes, formatCount, formatShare, formatTime, formatValue, NONE } from '$web/draw/number';

export type Cell = string | number | boolean | null;

/** Units that cells have themselves, so that the head does not repeat them. */
const IN_CELLS: readonly string[] = ['B', 'fraction', 's since 1970'];
/** Units that say no more than the name of the column. */
const SILENT: readonly string[] = ['', '1', 'count', 'step', 'rank', 'row', 'line', 'index', 'as logged', 'restarts'];

export const unitOf = ({ unit }: SqlColumn): string => (IN_CELLS.includes(unit) || SILENT.includes(unit) ? '' : unit);

export const isNumeric = ({ type }: SqlColumn): boolean =>
  /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL.*)$/.test(type);

export function cellText(column: SqlColumn, value: Cell): string {
  if (value === null) return NONE;
  if (typeof value !== 'number') return String(value);
  if (column.unit === 'B') return formatBytes(value);
  if (column.unit === 'fraction') return formatShare(value);
  if (column.unit === 's since 1970') return formatTime(value);
  return Number.isInteger(value) ? formatCount(value) : formatValue(value, 6);
}
