// The rows and columns of the table: sessions or groups of repeats, which of them the filters keep, and in which order.
import type { Known } from '$web/runs/fields';
import { compareKnown } from '$web/runs/order';
import { statusWord } from '$web/runs/rows';
import type { RunStatus } from '$web/api/types';
import { compile } from '$web/patterns/pattern';
import * as format from '$web/widgets/format';
import type { Hparam, Metric, Trials } from './answers';
import { hparamKey, metricKey, type Filter, type HparamsView } from './hparams-view';

export type ColumnKind = 'run' | 'status' | 'runs' | 'hparam' | 'metric';

export interface GridColumn {
  key: string;
  kind: ColumnKind;
  label: string;
  /** What its heading says on hover. */
  title: string;
  numeric: boolean;
  width: number;
  /** What a row has: a number, a text, or nothing. */
  value: (row: number) => Known;
  /** Mean and spread of a group's metric. */
  spread: ((row: number) => Spread) | null;
  /** Whether lower or higher is better. */
  goal: 'min' | 'max' | null;
  /** Of a hyperparameter: whether rows differ in it. */
  differs: boolean;
}

export interface Spread {
  n: number;
  sd: number;
  ci95: number;
}

export interface Grid {
  /** Of each row, its sessions; the first one names the row. */
  rows: readonly (readonly number[])[];
  columns: readonly GridColumn[];
}

/** What every view of the tab is given. */
export interface OfTrials {
  own: HparamsView;
  change: (next: Partial<HparamsView>) => void;
  trials: Trials;
  grid: Grid;
  columns: readonly GridColumn[];
}

/** A table has the rows in their order. */
export interface OfSorted extends OfTrials {
  sorted: readonly number[];
}

/** A drawing has the rows that pass the filters. */
export interface OfKept extends OfTrials {
  kept: readonly number[];
}

/** Half of a 12 px character's width beside a number. */
const CHARACTER_PX = 7.2;
const MOST_WIDTH = 220;

export function hparamValue({ numbers, codes, words }: Hparam, session: number): Known {
  const word = words[codes[session] ?? -1];
  if (word !== undefined) return word;
  const number = numbers[session];
  return number === undefined || Number.isNaN(number) ? undefined : number;
}

function known(value: number | undefined): number | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

export function metricName({ tag, group, display_name: shown }: Metric): string {
  const name = shown === '' ? tag : shown;
  return group === '' ? name : `${name} (${group})`;
}

function hparamColumn(hparam: Hparam, first: (row: number) => number): GridColumn {
  const label = hparam.display_name === '' ? hparam.name : hparam.display_name;
  const about = [hparam.name, hparam.description].filter((one) => one !== '').join(': ');
  const longest = hparam.words.reduce((most, word) => Math.max(most, word.length), 7);
  return {
    key: hparamKey(hparam.name),
    kind: 'hparam',
    label,
    title: about,
    numeric: hparam.kind === 'numeric',
    width: widthFor(label, longest),
    value: (row) => hparamValue(hparam, first(row)),
    spread: null,
    goal: null,
    differs: hparam.distinct > 1,
  };
}

function metricColumn(metric: Metric, grouped: boolean, first: (row: number) => number): GridColumn {
  const label = metricName(metric);
  const places = metric.found_in.filter((place) => place !== '' && place !== metric.group);
  const about = [
    metric.group === '' ? metric.tag : `${metric.tag} in ${metric.group}`,
    metric.description,
    places.length > 0 ? `found in ${places.join(', ')}` : '',
    metric.goal === 'min' ? 'lower is better' : 'higher is better',
  ];
  return {
    key: metricKey(metric),
    kind: 'metric',
    label,
    title: about.filter((one) => one !== '').join('; '),
    numeric: true,
    width: widthFor(label, grouped ? 19 : 9),
    value: (row) => known(grouped ? metric.mean[row] : metric.values[first(row)]),
    spread: grouped
      ? (row) => ({ n: metric.n[row] ?? 0, sd: metric.sd[row] ?? NaN, ci95: metric.ci95[row] ?? NaN })
      : null,
    goal: metric.goal,
    differs: true,
  };
}

function widthFor(label: string, longest: number): number {
  const wanted = Math.max(label.length * CHARACTER_PX + 24, longest * CHARACTER_PX + 12, 72);
  return Math.ceil(Math.min(MOST_WIDTH, wanted) / 4) * 4;
}

function plain(key: ColumnKind, label: string, width: number, value: (row: number) => Known): GridColumn {
  const numeric = key === 'runs';
  return { key, kind: key, label, title: label, numeric, width, value, spread: null, goal: null, differs: true };
}

/** What the page knows of a session's run. */
export interface RunFacts {
  label: string;
  status: RunStatus;
}

/** Rows and all columns: hyperparameters that differ, metrics, then hyperparameters that are the same everywhere. */
export function makeGrid(
  trials: Trials,
  grouped: boolean,
  runOf: (session: number) => RunFacts,
  kept: (session: number) => boolean,
): Grid {
  const all = grouped ? trials.members : trials.sessions.map((_, session) => [session]);
  const rows = all.map((members) => members.filter(kept));
  const first = (row: number): number => rows[row]?.[0] ?? -1;
  const hparams = trials.hparams.filter(({ seed }) => !grouped || !seed).map((hparam) => hparamColumn(hparam, first));
  const own = [
    plain('run', grouped ? 'First run' : 'Run', 240, (row) => runOf(first(row)).label),
    grouped
      ? plain('runs', 'Runs', 60, (row) => rows[row]?.length ?? 0)
      : plain('status', 'Status', 84, (row) => statusWord(runOf(first(row)).status)),
  ];
  return {
    rows,
    columns: [
      ...own,
      ...hparams.filter(({ differs }) => differs),
      ...trials.metrics.map((metric) => metricColumn(metric, grouped, first)),
      ...hparams.filter(({ differs }) => !differs),
    ],
  };
}

/** The columns that are shown. */
export function shownColumns({ columns }: Grid, { hidden, diff }: Pick<HparamsView, 'hidden' | 'diff'>): GridColumn[] {
  const gone = new Set(hidden);
  return columns.filter(({ key, differs }) => key === 'run' || (!gone.has(key) && (differs || !diff)));
}

type Matcher = (value: Known) => boolean;

function matcherOf(filter: Filter): Matcher {
  switch (filter.kind) {
    case 'interval': {
      const [low, high] = [filter.low ?? -Infinity, filter.high ?? Infinity];
      return (value) => typeof value === 'number' && value >= low && value <= high;
    }
    case 'values': {
      const wanted = new Set(filter.values);
      return (value) => value !== undefined && wanted.has(textOf(value));
    }
    case 'regex': {
      const { pattern } = compile(filter.pattern, true);
      return (value) => pattern === null || (value !== undefined && pattern.test(textOf(value)));
    }
    case 'missing':
      return (value) => (value === undefined) === filter.missing;
  }
}

/** A value as filters and files write it: every digit of it. */
export const textOf = (value: Known): string => (value === undefined ? '' : String(value));

/** Rows that have sessions and that all filters keep; `besides` leaves the filters of one column out. */
export function filteredRows({ rows, columns }: Grid, filters: readonly Filter[], besides = ''): number[] {
  const byKey = new Map(columns.map((column) => [column.key, column]));
  const tests = filters.flatMap((filter) => {
    const column = byKey.get(filter.key);
    return column === undefined || filter.key === besides ? [] : [{ column, matches: matcherOf(filter) }];
  });
  const found: number[] = [];
  rows.forEach((members, row) => {
    if (members.length > 0 && tests.every(({ column, matches }) => matches(column.value(row)))) found.push(row);
  });
  return found;
}

/** Rows without the value come last in either direction. */
export function sortedRows(rows: readonly number[], column: GridColumn | undefined, descending: boolean): number[] {
  if (column === undefined) return [...rows];
  const values = new Map(rows.map((row) => [row, column.value(row)]));
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => compareKnown(values.get(a), values.get(b), sign) || a - b);
}

/** The best value of a metric among rows. */
export function bestOf(rows: readonly number[], column: GridColumn): number | undefined {
  if (column.goal === null) return undefined;
  let best: number | undefined;
  for (const row of rows) {
    const value = column.value(row);
    if (typeof value !== 'number' || !Number.isFinite(value)) continue;
    if (best === undefined || (column.goal === 'min' ? value < best : value > best)) best = value;
  }
  return best;
}

/** A cell as the table shows it; with a baseline, the difference to it. */
export function cellText(column: GridColumn, row: number, baseline: number | null): string {
  const value = column.value(row);
  if (value === undefined) return format.NONE;
  if (typeof value === 'string') return value;
  const against =
    baseline === null || column.kind !== 'metric' || baseline === row ? undefined : column.value(baseline);
  return typeof against === 'number' ? format.difference(value - against) : format.value(value);
}

/** Whether a row's hyperparameter is another than the baseline's. */
export function differsFrom(column: GridColumn, row: number, baseline: number | null): boolean {
  return baseline !== null && column.kind === 'hparam' && column.value(row) !== column.value(baseline);
}

/** The whole of a cell, for hover. */
export function cellTitle(column: GridColumn, row: number, baseline: number | null): string {
  const value = column.value(row);
  if (value === undefined) return column.kind === 'metric' ? `${column.label}: not logged` : `${column.label}: not set`;
  const spread = column.spread?.(row);
  const parts = [`${column.label}: ${textOf(value)}`];
  if (spread !== undefined) {
    parts.push(
      spread.n < 2
        ? 'one run, so no spread'
        : `standard deviation ${spread.sd}, 95% confidence ± ${spread.ci95}, n = ${spread.n}`,
    );
  }
  if (baseline !== null && baseline !== row) parts.push(`baseline ${textOf(column.value(baseline)) || 'none'}`);
  return parts.join(', ');
}

/** The different values of a column among rows, in order; null when there are more than `most`. */
export function distinctValues(rows: readonly number[], column: GridColumn, most: number): string[] | null {
  const found = new Map<string, Known>();
  for (const row of rows) {
    const value = column.value(row);
    if (value === undefined) continue;
    found.set(textOf(value), value);
    if (found.size > most) return null;
  }
  return [...found].sort((a, b) => compareKnown(a[1], b[1], 1)).map(([text]) => text);
}
