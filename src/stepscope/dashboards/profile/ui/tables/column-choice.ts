// Which columns of a table are on screen: the telling ones, changed by what the user ticks and the address keeps.
import type { Column } from './table-columns';

/** The address names the columns that were switched: those of one table, as `kernels.grid`. */
const named = (table: string, key: string): string => `${table}.${key}`;

/** The columns of a table that are shown; the first, its names, always is. */
export function chosenColumns<Row>(
  columns: readonly Column<Row>[],
  table: string,
  switched: readonly string[],
): Column<Row>[] {
  return columns.filter(
    ({ key, spare }, place) => place === 0 || (spare === true) === switched.includes(named(table, key)),
  );
}

/** The switched columns after one more click on this one. */
export function switchColumn(switched: readonly string[], table: string, key: string): string[] {
  const one = named(table, key);
  return switched.includes(one) ? switched.filter((other) => other !== one) : [...switched, one];
}

/** The switched columns with this table as it usually is. */
export function usualColumns(switched: readonly string[], table: string): string[] {
  return switched.filter((one) => !one.startsWith(`${table}.`));
}
