// The columns of the run list: the few of the narrow list, and those of the full table.
import type { RunRole } from '../api/types';
import type { SortKey, SortKind, TagValue } from '../state/view';
import { csvOf, type Cell } from '../widgets/csv';
import * as format from '../widgets/format';
import { durationOf } from './fields';
import type { SortFacts } from './order';
import { statusWord, type Row } from './rows';
import { settingText } from './setting-text';
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
  /** The value itself, for files, and its heading there where it is another than the title. */
  raw: (row: Row) => Cell;
  rawTitle?: string;
}

export interface ColumnContext extends SortFacts {
  baseline: Row | null;
  nowSeconds: number;
  /** Wall time of the row's newest point. */
  newestOf: (row: Row) => number | null;
  /** How many last points a mean is of. */
  meanOf: number;
  /** The roles that a tag has columns for; null alone where no row has it twice. */
  rolesOf: (tag: string) => readonly (RunRole | null)[];
  goalOf: (tag: string) => 'min' | 'max';
  /** The step of an extreme, where it is known. */
  stepOf: (row: Row, value: TagValue) => number | undefined;
}

/** Settings that the table shows by itself. */
const MOST_SETTINGS = 4;

/** A figure of the page's font at 12 px. */
const CHARACTER_PX = 7.8;
const ARROW_PX = 22;
const ROWS_LOOKED_AT = 200;
/** Dates end there. */
const MOST_SECONDS = 8.64e12;

function named({ tag, role }: TagValue): string {
  return role === null ? tag : `${tag} (${role})`;
}

function tagColumn(value: TagValue, label: string, width: number, context: ColumnContext): Column {
  const read = (row: Row): number | undefined => context.valueOf(row, value);
  const { baseline } = context;
  const { kind } = value;
  const what = kind === 'mean' ? `mean of the last ${format.plural(context.meanOf, 'point')}` : kind;
  const tag = named(value);
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
    raw: read,
  };
}

/** A wall time as ISO 8601 in UTC. */
const instant = (seconds: number | null): Cell =>
  seconds === null || !(Math.abs(seconds) < MOST_SECONDS) ? null : new Date(seconds * 1000).toISOString();

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
    raw: (row) => instant(context.newestOf(row)),
    rawTitle: 'Newest point (UTC)',
  };
}

/** The last part of a tag is enough for a heading unless it only names the data; the whole is on hover. */
function shortTag(tag: string): string {
  const last = tag.slice(tag.lastIndexOf('/') + 1);
  return /^(train|training|val|valid|validation|eval|test)$/i.test(last) ? tag : last;
}

/** Names, with swatch and status before them, keep this much of the narrow list. */
const NAME_PX = 140;
const LINE_PX = 28;
const GAP_PX = 6;
/** A number with its sign and exponent; a longer heading is cut, and whole on hover. */
const VALUE_PX = 68;

/**
 * What the list is sorted by, or else the last values of the first highlight, with as many roles as there is room for.
 * Names come first: a heading is cut before they are, and a list too narrow for all has no age.
 */
export function narrowColumns(
  firstHighlight: string | undefined,
  sort: SortKey,
  room: number,
  context: ColumnContext,
): Column[] {
  const age = ageColumn(context);
  const narrow = (value: TagValue): Column => {
    const label = headingOf(value);
    return tagColumn(value, label, Math.max(VALUE_PX, label.length * CHARACTER_PX + ARROW_PX), context);
  };
  const last = (tag: string): Column[] => context.rolesOf(tag).map((role) => narrow({ kind: 'last', tag, role }));
  const sorted = 'kind' in sort ? narrow(sort) : undefined;
  const tag = 'kind' in sort ? sort.tag : firstHighlight;
  const wanted = [sorted, ...(tag === undefined ? [] : last(tag))].filter((column) => column !== undefined);
  const columns = [...new Map(wanted.map((column) => [column.key, column])).values()];
  const [first, ...others] = columns;
  let left = room - NAME_PX - LINE_PX;
  const fits = (width: number): boolean => {
    if (left < width + GAP_PX) return false;
    left -= width + GAP_PX;
    return true;
  };
  // The value that the list is about stands in any case, the age beside it before further values.
  left -= first === undefined ? 0 : VALUE_PX + GAP_PX;
  const aged = fits(age.width);
  const widened = first && { ...first, width: Math.min(first.width, VALUE_PX + Math.max(0, left)) };
  left -= widened === undefined ? 0 : widened.width - VALUE_PX;
  const more = others.filter(({ width }) => fits(width));
  return [...(widened === undefined ? [] : [widened]), ...more, ...(aged ? [age] : [])];
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
  raw?: (row: Row) => Cell,
): Column {
  const numeric = raw !== undefined;
  const shown = { text, full: text, raw: raw ?? text };
  return { key, label, title: label, width, sort, descending: numeric, inverse: false, numeric, ...shown };
}

/** The best value of a tag by its goal, with its step. */
function bestColumn(value: TagValue, context: ColumnContext): Column {
  const column = tagColumn(value, value.kind, 116, context);
  const words = value.kind === 'min' ? 'lowest' : 'highest';
  return {
    ...column,
    title: `Best (${words}) ${named(value)}`,
    descending: value.kind === 'max',
    text: (row) => {
      const step = context.stepOf(row, value);
      return step === undefined ? column.text(row) : `${column.text(row)} @ ${format.count(step)}`;
    },
    full: (row) => {
      const step = context.stepOf(row, value);
      return step === undefined ? column.full(row) : `${column.full(row)}, at step ${format.count(step)}`;
    },
  };
}

function settingColumn(name: string, context: ColumnContext): Column {
  const whole = (row: Row): string => context.settingOf(row, name) ?? format.NONE;
  const text = (row: Row): string => settingText(whole(row));
  const short = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('.')) + 1);
  return {
    ...plainColumn(`hp:${name}`, short, 96, { setting: name }, text, (row) => context.settingOf(row, name)),
    title: `Setting ${name}`,
    descending: false,
    full: (row) => `${name}: ${whole(row)}`,
  };
}

function tagColumns(tag: string, context: ColumnContext): Column[] {
  return context.rolesOf(tag).flatMap((role) => {
    const of = (kind: SortKind): TagValue => ({ kind, tag, role });
    return [
      tagColumn(of('last'), headingOf(of('last')), 96, context),
      bestColumn(of(context.goalOf(tag)), context),
      tagColumn(of('mean'), `mean ${context.meanOf}`, 80, context),
    ];
  });
}

type Facts = 'status' | 'labels' | 'host' | 'duration' | 'points' | 'restarts' | 'skipped' | 'newest' | 'note';
const OWN: Readonly<Record<Facts, (context: ColumnContext) => Column>> = {
  status: () => plainColumn('status', 'Status', 84, { column: 'status' }, (row) => statusWord(row.status)),
  labels: () => plainColumn('labels', 'Labels', 120, { column: 'labels' }, (row) => row.labels.join(', ')),
  host: (context) =>
    plainColumn('host', 'Host', 120, { column: 'host' }, (row) => context.hostsOf(row).join(', ') || format.NONE),
  duration: () => ({
    ...plainColumn(
      'duration',
      'Duration',
      96,
      { column: 'duration' },
      (row) => format.duration(durationOf(row) ?? null),
      durationOf,
    ),
    rawTitle: 'Duration (s)',
  }),
  points: () =>
    plainColumn(
      'points',
      'Points',
      92,
      { column: 'points' },
      (row) => format.count(row.points),
      (row) => row.points,
    ),
  restarts: () =>
    plainColumn(
      'restarts',
      'Restarts',
      68,
      null,
      (row) => format.count(row.restarts),
      (row) => row.restarts,
    ),
  skipped: () =>
    plainColumn(
      'skipped',
      'Skipped',
      68,
      null,
      (row) => format.count(row.skipped),
      (row) => row.skipped,
    ),
  newest: ageColumn,
  note: () => plainColumn('note', 'Note', 200, null, (row) => row.note ?? ''),
};
/** Facts of a run that can be a column. */
export const OWN_COLUMNS = Object.keys(OWN) as readonly Facts[];

/** The columns of keys: a fact's name, `hp:` and a setting, or else a tag. */
export function tableColumns(keys: readonly string[], context: ColumnContext): Column[] {
  return keys.flatMap((key) => {
    if (Object.hasOwn(OWN, key)) return [OWN[key as Facts](context)];
    return key.startsWith('hp:') ? [settingColumn(key.slice(3), context)] : tagColumns(key, context);
  });
}

/** The table as it is sorted and filtered, with values in full: seconds, ISO times, and no differences to a baseline. */
export const tableAsCsv = (rows: readonly Row[], columns: readonly Column[]): string =>
  csvOf([
    ['Run', ...columns.map(({ title, rawTitle }) => rawTitle ?? title)],
    ...rows.map((row) => [row.label, ...columns.map(({ raw }) => raw(row))]),
  ]);

/** What the table shows: its own columns without those that the user removed, and those that the user added. */
export function tableKeys(
  highlights: readonly string[],
  settings: readonly string[],
  changed: readonly string[],
): string[] {
  const usual = [
    'status',
    ...settings.slice(0, MOST_SETTINGS).map((name) => `hp:${name}`),
    ...highlights,
    'labels',
    'duration',
    'points',
    'newest',
    'note',
  ];
  const added = changed.filter((key) => !key.startsWith('-') && !usual.includes(key));
  const removed = new Set(changed.filter((key) => key.startsWith('-')).map((key) => key.slice(1)));
  const at = usual.indexOf('labels');
  return [...usual.slice(0, at), ...added, ...usual.slice(at)].filter((key) => !removed.has(key));
}

/** Adds a column, or brings one back. */
export function withColumn(changed: readonly string[], key: string): string[] {
  const rest = changed.filter((one) => one !== `-${key}`);
  return rest.length < changed.length ? rest : [...rest, key];
}

export function withoutColumn(changed: readonly string[], key: string): string[] {
  const rest = changed.filter((one) => one !== key);
  return rest.length < changed.length ? rest : [...rest, `-${key}`];
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
