// The tree of modules as lines: which are open, which have the words that are looked for, and in which order siblings stand.
import type { ModuleRow } from '$api';
import { builder, isEmpty, share, time, type Column, type Order } from '../tables/table-columns';
import { count } from '$web/widgets/format';

export interface ModuleLine {
  row: ModuleRow;
  /** Place in the answer, by which it is opened. */
  place: number;
  /** Place of the module that holds it, -1 for a root. */
  parent: number;
  /** undefined where there is nothing below. */
  open: boolean | undefined;
}

/** Levels that are open until somebody closes them. */
const OPEN_LEVELS = 2;

const field = builder<ModuleRow>();
const PASSES = [
  ['forward', 'Forward'],
  ['backward', 'Backward'],
] as const;
const SIDES = [
  ['host', 'host', 'on the host'],
  ['device', 'device', 'on devices'],
] as const;

/** A time of one pass, under the key that CSV files give it. */
function passTime(
  key: string,
  label: string,
  width: number,
  title: string,
  us: (row: ModuleRow) => number,
): Column<ModuleRow> {
  return { key, label, title, width, numeric: true, raw: us, text: (row) => time(us(row)) };
}

/** Module, calls, share, and eight times in pairs of total and self. */
export const MODULE_COLUMNS: readonly Column<ModuleRow>[] = [
  field('path', 'Module', 260, 'Path of the module', { numeric: false, code: true }),
  field('calls', 'Calls', 56, 'Number of calls in the whole profile', { text: (row) => count(row.calls) }),
  field(
    'share',
    'Share',
    60,
    'Share of the time of all modules: on devices where any ran there, otherwise on the host',
    {
      text: (row) => share(row.share),
    },
  ),
  ...PASSES.flatMap(([pass, passLabel]) =>
    SIDES.flatMap(([side, sideLabel, where]) => {
      const total = `${side}_us` as const;
      const self = `${side}_self_us` as const;
      return [
        passTime(
          `${pass}_${total}`,
          `${passLabel}, ${sideLabel}`,
          96,
          `${passLabel} pass ${where}, including submodules`,
          (row) => row[pass][total],
        ),
        passTime(
          `${pass}_${self}`,
          'Self',
          64,
          `${passLabel} pass ${where}, without submodules`,
          (row) => row[pass][self],
        ),
      ];
    }),
  ),
];

/** A pass or side in which no module has any time takes no room. */
export function timedColumns(rows: readonly ModuleRow[]): Column<ModuleRow>[] {
  const total = (key: string): Column<ModuleRow> | undefined =>
    MODULE_COLUMNS.find((one) => one.key === key.replace('_self', ''));
  return MODULE_COLUMNS.filter(({ key }) => {
    return !key.endsWith('_us') || rows.some((row) => Number(total(key)?.raw(row)) > 0);
  });
}

/** `3.17` are the places 3 and 17. */
export function readPlaces(text: string): Set<number> {
  return new Set(text.split('.').filter(Boolean).map(Number));
}

export function writePlaces(places: ReadonlySet<number>): string {
  return [...places].sort((a, b) => a - b).join('.');
}

/** The place of the module that holds each, -1 for roots. */
function parents(rows: readonly ModuleRow[]): number[] {
  const above: number[] = [];
  return rows.map(({ depth }, place) => {
    above.length = depth;
    above[depth] = place;
    return depth === 0 ? -1 : (above[depth - 1] ?? -1);
  });
}

/** What is on the way to the rows that have all words; undefined without words. */
function onTheWay(rows: readonly ModuleRow[], parent: readonly number[], find: string): Set<number> | undefined {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  const found = new Set<number>();
  rows.forEach(({ path }, place) => {
    const text = path.toLowerCase();
    if (!words.every((word) => text.includes(word))) return;
    for (let at = place; at >= 0 && !found.has(at); at = parent[at] ?? -1) found.add(at);
  });
  return found;
}

/** The lines to show; `turned` are places that are not open or closed as at first. With words everything found is open. */
export function moduleLines(
  rows: readonly ModuleRow[],
  turned: ReadonlySet<number>,
  find: string,
  order: Order | null,
): ModuleLine[] {
  const parent = parents(rows);
  const kept = onTheWay(rows, parent, find);
  const children = new Map<number, number[]>();
  parent.forEach((above, place) => {
    if (kept === undefined || kept.has(place)) children.set(above, [...(children.get(above) ?? []), place]);
  });
  const column = MODULE_COLUMNS.find(({ key }) => key === order?.key);
  const sorted = (places: readonly number[]): number[] => {
    if (order === null || column === undefined) return [...places];
    const sign = order.descending ? -1 : 1;
    return [...places].sort((a, b) => {
      const [x, y] = [rows[a] && column.raw(rows[a]), rows[b] && column.raw(rows[b])];
      if (x === undefined || y === undefined || isEmpty(x) || isEmpty(y)) return 0;
      return (
        sign * (column.numeric ? Number(x) - Number(y) : String(x).localeCompare(String(y), 'en', { numeric: true }))
      );
    });
  };
  const lines: ModuleLine[] = [];
  const waiting = sorted(children.get(-1) ?? []).reverse();
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const row = rows[place];
    if (row === undefined) continue;
    const below = children.get(place);
    const open = kept !== undefined || row.depth < OPEN_LEVELS !== turned.has(place);
    lines.push({ row, place, parent: parent[place] ?? -1, open: below === undefined ? undefined : open });
    if (below !== undefined && open) waiting.push(...sorted(below).reverse());
  }
  return lines;
}
