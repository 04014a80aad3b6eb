// The columns of the run list: the few of the narrow list, and those of the full table.
import type { SortKey, SortKind } from '../state/view';
import * as format from '../widgets/format';
import type { ValueOf } from './order';
import type { Row } from './rows';

export interface Column {
  key: string;
  label: string;
  /** What its heading says on hover. */
  title: string;
  width: number;
  sort: SortKey | null;
  /** Whether the first click sorts downwards. */
  descending: boolean;
  /** The column shows the opposite of what it is sorted by: an age is small where the newest point is late. */
  inverse: boolean;
  numeric: boolean;
  text: (row: Row) => string;
  /** The whole value, for hover. */
  full: (row: Row) => string;
}

export interface ColumnContext {
  valueOf: ValueOf;
  baseline: Row | null;
  nowSeconds: number;
  /** Wall time of the row's newest point. */
  newestOf: (row: Row) => number | null;
  /** How many last points a mean is of. */
  meanOf: number;
}

function tagColumn(tag: string, kind: SortKind, label: string, width: number, context: ColumnContext): Column {
  const read = (row: Row): number | undefined => context.valueOf(row, kind, tag);
  const { baseline } = context;
  const what = kind === 'mean' ? `mean of the last ${format.plural(context.meanOf, 'point')}` : kind;
  const against = baseline === null ? undefined : read(baseline);
  return {
    key: `${kind}:${tag}`,
    label,
    title: `${what} of ${tag}`,
    width,
    sort: { kind, tag },
    descending: false,
    inverse: false,
    numeric: true,
    text: (row) => {
      const value = read(row);
      if (value === undefined) return format.NONE;
      if (against === undefined || row.id === baseline?.id || Number.isNaN(value)) return format.value(value);
      return format.difference(value - against);
    },
    full: (row) => {
      const value = read(row);
      if (value === undefined) return `${tag}: not logged`;
      return against === undefined ? `${what} ${tag}: ${value}` : `${what} ${tag}: ${value}, baseline ${against}`;
    },
  };
}

function ageColumn(context: ColumnContext): Column {
  return {
    key: 'newest',
    label: 'Age',
    title: 'Time since the newest point',
    width: 52,
    sort: { column: 'newest' },
    descending: true,
    inverse: true,
    numeric: true,
    text: (row) => {
      const newest = context.newestOf(row);
      return newest === null ? format.NONE : format.age(context.nowSeconds - newest);
    },
    full: (row) => `Newest point: ${format.moment(context.newestOf(row))}`,
  };
}

/** The last part of a tag is enough for a heading unless it only names the data; the whole is on hover. */
function shortTag(tag: string): string {
  const last = tag.slice(tag.lastIndexOf('/') + 1);
  return /^(train|training|val|valid|validation|eval|test)$/i.test(last) ? tag : last;
}

export function narrowColumns(firstHighlight: string | undefined, context: ColumnContext): Column[] {
  const age = ageColumn(context);
  if (firstHighlight === undefined) return [age];
  return [tagColumn(firstHighlight, 'last', shortTag(firstHighlight), 68, context), age];
}

function plainColumn(
  key: string,
  label: string,
  width: number,
  sort: SortKey | null,
  text: (row: Row) => string,
  numeric = true,
): Column {
  return { key, label, title: label, width, sort, descending: true, inverse: false, numeric, text, full: text };
}

export function tableColumns(tags: readonly string[], context: ColumnContext): Column[] {
  const spent = (row: Row): number | null =>
    row.started === null || row.lastEvent === null ? null : row.lastEvent - row.started;
  return [
    plainColumn('status', 'Status', 72, { column: 'status' }, (row) => row.status, false),
    ...tags.flatMap((tag) => [
      tagColumn(tag, 'last', shortTag(tag), 96, context),
      tagColumn(tag, 'min', 'min', 72, context),
      tagColumn(tag, 'max', 'max', 72, context),
      tagColumn(tag, 'mean', `mean ${context.meanOf}`, 80, context),
    ]),
    plainColumn('duration', 'Duration', 96, { column: 'duration' }, (row) => format.duration(spent(row))),
    plainColumn('points', 'Points', 92, { column: 'points' }, (row) => format.count(row.points)),
    plainColumn('restarts', 'Restarts', 68, null, (row) => format.count(row.restarts)),
    plainColumn('skipped', 'Skipped', 68, null, (row) => format.count(row.skipped)),
    ageColumn(context),
    plainColumn('note', 'Note', 200, null, (row) => row.note ?? '', false),
  ];
}

/** A figure of the page's font at 12 px. */
const CHARACTER_PX = 7.8;
const ARROW_PX = 22;
const ROWS_LOOKED_AT = 200;

/** As wide as its heading and longest value need, at most its own width: what it spares is room for names. */
export function fittedWidth(column: Column, rows: readonly Row[]): number {
  const longest = rows.slice(0, ROWS_LOOKED_AT).reduce((most, row) => Math.max(most, column.text(row).length), 0);
  const needed = Math.max(column.label.length * CHARACTER_PX + ARROW_PX, longest * CHARACTER_PX);
  // In steps, so that the names do not twitch with every digit.
  return Math.min(column.width, Math.ceil(needed / 4) * 4);
}

export function sameSort(a: SortKey | null, b: SortKey): boolean {
  return a !== null && JSON.stringify(a) === JSON.stringify(b);
}

export type Direction = 'ascending' | 'descending';

/** How the values that a column shows run down the list; none when the list is sorted by another. */
export function directionOf(column: Column, sort: SortKey, descending: boolean): Direction | undefined {
  if (!sameSort(column.sort, sort)) return undefined;
  return descending !== column.inverse ? 'descending' : 'ascending';
}
