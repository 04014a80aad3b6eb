// The columns of the run list: the few of the narrow list, and those of the full table.
import type { RunRole } from '../api/types';
import type { SortKey, TagValue } from '../state/view';
import * as format from '../widgets/format';
import type { ValueOf } from './order';
import type { Row } from './rows';
import { roleWord, writeTagValue } from './tag-values';

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
  /** The roles that a tag has columns for; null alone where no row has it twice. */
  rolesOf: (tag: string) => readonly (RunRole | null)[];
}

/** A figure of the page's font at 12 px. */
const CHARACTER_PX = 7.8;
const ARROW_PX = 22;
const ROWS_LOOKED_AT = 200;

function tagColumn(value: TagValue, label: string, width: number, context: ColumnContext): Column {
  const read = (row: Row): number | undefined => context.valueOf(row, value);
  const { baseline } = context;
  const { kind, role } = value;
  const what = kind === 'mean' ? `mean of the last ${format.plural(context.meanOf, 'point')}` : kind;
  const tag = role === null ? value.tag : `${value.tag} (${role})`;
  const against = baseline === null ? undefined : read(baseline);
  return {
    key: writeTagValue(value),
    label,
    title: `${what} of ${tag}`,
    width,
    sort: value,
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

/** Names keep this much of the narrow list. */
const NAME_PX = 140;
const LINE_PX = 28;
const GAP_PX = 6;

/** What the list is sorted by, or else the last values of the first highlight, with as many roles as there is room for. */
export function narrowColumns(
  firstHighlight: string | undefined,
  sort: SortKey,
  room: number,
  context: ColumnContext,
): Column[] {
  const age = ageColumn(context);
  const narrow = (value: TagValue): Column => {
    const label = headingOf(value);
    return tagColumn(value, label, Math.max(68, label.length * CHARACTER_PX + ARROW_PX), context);
  };
  const last = (tag: string): Column[] => context.rolesOf(tag).map((role) => narrow({ kind: 'last', tag, role }));
  const sorted = 'kind' in sort ? narrow(sort) : undefined;
  const tag = 'kind' in sort ? sort.tag : firstHighlight;
  const wanted = [sorted, ...(tag === undefined ? [] : last(tag))].filter((column) => column !== undefined);
  const columns = [...new Map(wanted.map((column) => [column.key, column])).values()];
  let left = room - NAME_PX - LINE_PX - age.width;
  return [
    ...columns.filter((column, i) => {
      left -= column.width + GAP_PX;
      return i === 0 || left >= 0;
    }),
    age,
  ];
}

/** `loss` for its last value, `min loss val` for another of one role. */
function headingOf({ kind, tag, role }: TagValue): string {
  const words = [kind === 'last' ? '' : kind, shortTag(tag), role === null ? '' : roleWord(role)];
  return words.filter((word) => word !== '').join(' ');
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
    ...tags.flatMap((tag) =>
      context
        .rolesOf(tag)
        .flatMap((role) => [
          tagColumn({ kind: 'last', tag, role }, headingOf({ kind: 'last', tag, role }), 96, context),
          tagColumn({ kind: 'min', tag, role }, 'min', 72, context),
          tagColumn({ kind: 'max', tag, role }, 'max', 72, context),
          tagColumn({ kind: 'mean', tag, role }, `mean ${context.meanOf}`, 80, context),
        ]),
    ),
    plainColumn('duration', 'Duration', 96, { column: 'duration' }, (row) => format.duration(spent(row))),
    plainColumn('points', 'Points', 92, { column: 'points' }, (row) => format.count(row.points)),
    plainColumn('restarts', 'Restarts', 68, null, (row) => format.count(row.restarts)),
    plainColumn('skipped', 'Skipped', 68, null, (row) => format.count(row.skipped)),
    ageColumn(context),
    plainColumn('note', 'Note', 200, null, (row) => row.note ?? '', false),
  ];
}

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
