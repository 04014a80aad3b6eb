// What changes in the view when a row is opened or closed, grouped, or taken out of the main graph.
import type { GraphViewRow } from './answers';
import { closed, withoutPath, withPath, type GraphsView } from './graph-view';
import { finder, scopesAround } from './paths';

type Changes = Partial<GraphsView>;

/** A node that calls a function opens that function's graph. */
export function toggled(shown: GraphsView, row: GraphViewRow): Changes {
  if (row.kind === 'series') return { series: withPath(shown.series, row.path) };
  if (row.kind === 'scope') {
    if (!row.open) return { open: withPath(shown.open, row.path) };
    const inside = shown.node !== row.path && shown.node.startsWith(row.path);
    return {
      open: closed(shown.open, row.path),
      series: closed(shown.series, row.path),
      ...(inside ? { node: row.path } : null),
    };
  }
  const [graph] = row.calls;
  return graph === undefined ? {} : otherGraph(graph);
}

/** Paths of one graph mean nothing in another. */
export const otherGraph = (graph: string): Changes => ({
  graph,
  open: [],
  series: [],
  aside: [],
  main: [],
  node: '',
  trace: '',
  finding: '',
});

/** Members of a series as one row again. */
export function grouped(shown: GraphsView, rows: readonly GraphViewRow[], series: string): Changes {
  const members = rows.filter((row) => row.series === series).map(({ path }) => path);
  return {
    series: withoutPath(shown.series, series),
    open: members.reduce<string[]>((open, path) => closed(open, path), [...shown.open]),
    node: series,
  };
}

/** Out of the main graph or back into it, by the user's hand. */
export function movedAside(shown: GraphsView, row: GraphViewRow): Changes {
  return row.aside
    ? { aside: withoutPath(shown.aside, row.path), main: withPath(shown.main, row.path) }
    : { aside: withPath(shown.aside, row.path), main: withoutPath(shown.main, row.path) };
}

/** Opens all that a path is in. */
export const towards = (shown: GraphsView, path: string): Changes => ({
  node: path,
  open: [...new Set([...shown.open, ...scopesAround(path)])],
});

/** What is still in the way of a path in a view that has its scopes open: a series, or the scope that has its name. */
export function inTheWay(shown: GraphsView, rows: readonly GraphViewRow[], path: string): Changes | null {
  const row = finder(rows)(path);
  if (row === null || row.path === path) return null;
  if (row.kind === 'series') return { series: withPath(shown.series, row.path) };
  const own = `${path}/`;
  return !shown.open.includes(own) && rows.some((one) => one.path === own) ? { open: withPath(shown.open, own) } : null;
}
