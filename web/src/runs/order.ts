// Sorts rows by a column, and lays them out flat or as a tree of folders.
import type { SortKey, TagValue } from '../state/view';
import { durationOf, plainValue, type Known } from './fields';
import { compareNames } from './names';
import type { Row } from './rows';

export type ValueOf = (row: Row, value: TagValue) => number | undefined;

/** What sorting needs to know about rows beyond what they are. */
export interface SortFacts {
  valueOf: ValueOf;
  settingOf: (row: Row, name: string) => string | undefined;
  hostsOf: (row: Row) => readonly string[];
}

const STATUS_RANK = { live: 0, stuck: 1, crashed: 2, stale: 3, finished: 4, profile_only: 5 };

/** What a row has in a column. */
export function knownOf(row: Row, key: SortKey, facts: SortFacts): Known {
  if ('kind' in key) return facts.valueOf(row, key);
  if ('setting' in key) return plainValue(facts.settingOf(row, key.setting));
  switch (key.column) {
    case 'newest':
      return row.lastPoint ?? undefined;
    case 'points':
      return row.points;
    case 'duration':
      return durationOf(row);
    case 'status':
      return STATUS_RANK[row.status];
    case 'host':
      return facts.hostsOf(row).join(', ');
    case 'labels':
      return row.labels.join(', ');
    case 'name':
      return row.label;
  }
}

/** Numbers, then words, then values that are none, then no value; `sign` turns numbers and words. */
export function compareKnown(left: Known, right: Known, sign: 1 | -1): number {
  const [one, other] = [rank(left), rank(right)];
  if (one !== other) return one - other;
  if (one === 0) return sign * ((left as number) - (right as number));
  return one === 1 ? sign * compareNames(left as string, right as string) : 0;
}

function rank(value: Known): number {
  if (value === undefined || value === '') return 3;
  if (typeof value === 'string') return 1;
  return Number.isNaN(value) ? 2 : 0;
}

/** Rows without a value come last in either direction; equal ones are in order of name. */
export function sortRows(rows: readonly Row[], key: SortKey, descending: boolean, facts: SortFacts): Row[] {
  const known = new Map(rows.map((row) => [row, knownOf(row, key, facts)]));
  return [...rows].sort(
    (a, b) => compareKnown(known.get(a), known.get(b), descending ? -1 : 1) || compareNames(a.label, b.label),
  );
}

/** A line of the list: a row, or a folder above rows. */
export type Line =
  | { kind: 'row'; row: Row; depth: number; label: string }
  | { kind: 'folder'; path: string; label: string; depth: number; rows: Row[]; closed: boolean };

export function flatLines(rows: readonly Row[]): Line[] {
  return rows.map((row) => ({ kind: 'row', row, depth: 0, label: row.label }));
}

interface Node {
  rows: { row: Row; label: string }[];
  folders: Map<string, Node>;
  all: Row[];
}

const emptyNode = (): Node => ({ rows: [], folders: new Map(), all: [] });

/** Folders keep the order of their first row; a folder with a single folder inside is written as one. */
export function treeLines(rows: readonly Row[], closed: ReadonlySet<string>): Line[] {
  const root = emptyNode();
  for (const row of rows) {
    const parts = row.name.split('/');
    const last = parts.pop() ?? row.name;
    let node = root;
    node.all.push(row);
    for (const part of parts) {
      let next = node.folders.get(part);
      if (next === undefined) node.folders.set(part, (next = emptyNode()));
      next.all.push(row);
      node = next;
    }
    node.rows.push({ row, label: row.label === row.name ? last : row.label });
  }
  const lines: Line[] = [];
  const walk = (node: Node, path: string, depth: number): void => {
    for (const [name, start] of node.folders) {
      let folder = start;
      let label = name;
      let only = single(folder);
      while (only !== null) {
        label += `/${only[0]}`;
        folder = only[1];
        only = single(folder);
      }
      const full = path === '' ? label : `${path}/${label}`;
      const isClosed = closed.has(full);
      lines.push({ kind: 'folder', path: full, label, depth, rows: folder.all, closed: isClosed });
      if (!isClosed) walk(folder, full, depth + 1);
    }
    for (const { row, label } of node.rows) lines.push({ kind: 'row', row, depth, label });
  };
  walk(root, '', 0);
  return lines;
}

function single(node: Node): [string, Node] | null {
  if (node.rows.length > 0 || node.folders.size !== 1) return null;
  const [entry] = node.folders;
  return entry ?? null;
}
