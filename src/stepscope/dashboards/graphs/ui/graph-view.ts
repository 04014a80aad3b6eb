// What the tab shows, as text in the address: the graph, what is open in it, what is selected, and its colours.

export const COLOURS = ['structure', 'device', 'time', 'memory', 'cluster', 'statistics', 'none'] as const;
export type ColourBy = (typeof COLOURS)[number];
export const SIDES = ['', 'findings', 'compare'] as const;
export type Side = (typeof SIDES)[number];
export type Direction = 'inputs' | 'outputs';

export interface GraphsView {
  run: string;
  source: string;
  graph: string;
  /** Paths of open scopes. */
  open: readonly string[];
  /** Paths of series that are shown member by member. */
  series: readonly string[];
  /** Paths of what the user took out of the main graph, and of what was put back into it. */
  aside: readonly string[];
  main: readonly string[];
  /** Path of the selected node, scope or series. */
  node: string;
  colour: ColourBy;
  /** Profile session whose times and memory are shown; empty for the newest one. */
  session: string;
  /** Path whose inputs or outputs are traced. */
  trace: string;
  direction: Direction;
  /** What is listed at the side when no node is selected. */
  side: Side;
  /** Rule whose nodes are marked. */
  finding: string;
  /** The graph that this one is compared with. */
  againstRun: string;
  againstSource: string;
  againstGraph: string;
}

export const DEFAULTS: Readonly<GraphsView> = {
  run: '',
  source: '',
  graph: '',
  open: [],
  series: [],
  aside: [],
  main: [],
  node: '',
  colour: 'structure',
  session: '',
  trace: '',
  direction: 'inputs',
  side: '',
  finding: '',
  againstRun: '',
  againstSource: '',
  againstGraph: '',
};

const LISTS = ['open', 'series', 'aside', 'main'] as const;
/** As many as a request may name. */
const MOST = 5000;

export function writeView(view: GraphsView): string {
  const written = new URLSearchParams();
  for (const [key, value] of Object.entries(view) as [keyof GraphsView, unknown][]) {
    if (Array.isArray(value)) for (const one of value as string[]) written.append(key, one);
    else if (value !== DEFAULTS[key]) written.set(key, String(value));
  }
  return written.toString();
}

const oneOf = <T extends string>(text: string, all: readonly T[], otherwise: T): T =>
  all.find((one) => one === text) ?? otherwise;

export function readView(text: string): GraphsView {
  const read = new URLSearchParams(text);
  const said = (key: string): string => read.get(key) ?? '';
  const texts = Object.fromEntries(
    [
      'run',
      'source',
      'graph',
      'node',
      'session',
      'trace',
      'finding',
      'againstRun',
      'againstSource',
      'againstGraph',
    ].map((key) => [key, said(key)]),
  );
  const lists = Object.fromEntries(LISTS.map((key) => [key, [...new Set(read.getAll(key))].slice(0, MOST)]));
  return {
    ...DEFAULTS,
    ...texts,
    ...lists,
    colour: oneOf(said('colour'), COLOURS, DEFAULTS.colour),
    side: oneOf(said('side'), SIDES, ''),
    direction: said('direction') === 'outputs' ? 'outputs' : 'inputs',
  };
}

export const withPath = (list: readonly string[], path: string): string[] => [...new Set([...list, path])];
export const withoutPath = (list: readonly string[], path: string): string[] => list.filter((one) => one !== path);

/** Nothing inside of a scope stays open once it is closed. */
export const closed = (list: readonly string[], scope: string): string[] =>
  list.filter((one) => !one.startsWith(scope));
