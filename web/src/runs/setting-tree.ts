// Settings of several runs as one tree: a row for every value, below the names that it shares with others.
import { plainValue } from './fields';
import { compareNames } from './names';
import { leavesOfLiteral, type Leaves } from './nested';

export interface TreeRow {
  /** Tells it from all others. */
  key: string;
  /** What it is called below its parent. */
  label: string;
  /** How deep it stands. */
  depth: number;
  /** One for each run, in their order; null for a name that only has others below it. */
  values: readonly (string | undefined)[] | null;
  differs: boolean;
}

interface Node {
  below: Map<string, Node>;
  values: (string | undefined)[] | null;
}

const aNode = (): Node => ({ below: new Map(), values: null });

/** The settings of one run with what is inside of them: `optimizer.lr` is below `optimizer`. */
export function leavesOfSettings(settings: Iterable<readonly [name: string, text: string]>): Leaves {
  return [...settings].flatMap(([name, text]): Leaves => {
    const path = name.split('.');
    const inner = leavesOfLiteral(text);
    if (inner === null) return [[path, text]];
    return inner.map(([below, value]) => [[...path, ...below], value]);
  });
}

/** Rows in the order of their names; a name with one name below it stands in one row with that. */
export function treeOf(runs: readonly Leaves[]): TreeRow[] {
  const root = aNode();
  runs.forEach((leaves, run) => {
    for (const [path, text] of leaves) {
      let node = root;
      for (const part of path) {
        const next = node.below.get(part) ?? aNode();
        node.below.set(part, next);
        node = next;
      }
      node.values ??= runs.map(() => undefined);
      node.values[run] = text;
    }
  });
  const rows: TreeRow[] = [];
  listBelow(root, '', 0, rows);
  return rows;
}

function listBelow(node: Node, above: string, depth: number, rows: TreeRow[]): void {
  for (const [part, found] of [...node.below].sort(([a], [b]) => compareNames(a, b))) {
    let [label, inner] = [part, found];
    for (let only = onlyBelow(inner); only !== null; only = onlyBelow(inner)) {
      label = only[0].startsWith('[') ? label + only[0] : `${label}.${only[0]}`;
      inner = only[1];
    }
    const key = `${above}\u0000${label}`;
    const row: TreeRow = { key, label, depth, values: inner.values, differs: differ(inner.values) };
    rows.push(row);
    const from = rows.length;
    listBelow(inner, key, depth + 1, rows);
    row.differs ||= rows.slice(from).some((one) => one.differs);
  }
}

function onlyBelow(node: Node): [string, Node] | null {
  return node.values === null && node.below.size === 1 ? ([...node.below][0] ?? null) : null;
}

/** 1e-3 and 0.001 are the same. */
function differ(values: readonly (string | undefined)[] | null): boolean {
  return values !== null && new Set(values.map(plainValue)).size > 1;
}
