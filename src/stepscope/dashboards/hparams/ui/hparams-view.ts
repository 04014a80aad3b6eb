// What the tab shows, as one text in the address: columns, filters, order, and how values are read.

export const SHOWS = ['table', 'parallel', 'matrix', 'importance'] as const;
export type Show = (typeof SHOWS)[number];
export const READINGS = ['last', 'best', 'min', 'max', 'mean', 'at'] as const;
export type Reading = (typeof READINGS)[number];
export const SCALES = ['linear', 'log', 'quantile'] as const;
export type AxisScale = (typeof SCALES)[number];

/** What a row must have in a column. `run` and `status` are columns too. */
export type Filter = { key: string } & (
  | { kind: 'interval'; low: number | null; high: number | null }
  | { kind: 'values'; values: string[] }
  | { kind: 'regex'; pattern: string }
  | { kind: 'missing'; missing: boolean }
);

export interface HparamsView {
  show: Show;
  reading: Reading;
  meanOf: number;
  /** The step of the reading `at`. */
  at: number | null;
  /** Column keys that are left out, and metrics that are added to the usual ones. */
  hidden: string[];
  added: string[];
  /** Only hyperparameters that differ between the rows. */
  diff: boolean;
  /** A row for each group of repeats. */
  groups: boolean;
  /** Hyperparameters that repeats differ in; null for those named like a seed. */
  seeds: string[] | null;
  filters: Filter[];
  /** A column key; empty for the order of the server. */
  sort: string;
  descending: boolean;
  /** The run of the row that is open. */
  open: string;
  /** Scales of axes that are not the usual ones, by column key. */
  scales: Record<string, AxisScale>;
  /** The metric that colours lines and dots; empty for the runs' own colours. */
  colour: string;
  /** The metric that importance is for; empty for the first. */
  target: string;
}

export const DEFAULTS: Readonly<HparamsView> = {
  show: 'table',
  reading: 'last',
  meanOf: 10,
  at: null,
  hidden: [],
  added: [],
  diff: false,
  groups: false,
  seeds: null,
  filters: [],
  sort: '',
  descending: false,
  open: '',
  scales: {},
  colour: '',
  target: '',
};

const MOST = 200;

export const hparamKey = (name: string): string => `h:${name}`;
export const metricKey = ({ tag, group }: { tag: string; group?: string }): string => `m:${tag}@${group ?? ''}`;

/** The metric of a key; null for another column. */
export function metricOf(key: string): { tag: string; group: string } | null {
  const at = key.lastIndexOf('@');
  return key.startsWith('m:') && at > 2 ? { tag: key.slice(2, at), group: key.slice(at + 1) } : null;
}

function writeFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'interval':
      return JSON.stringify([filter.key, 'in', filter.low, filter.high]);
    case 'values':
      return JSON.stringify([filter.key, 'is', ...filter.values]);
    case 'regex':
      return JSON.stringify([filter.key, 're', filter.pattern]);
    case 'missing':
      return JSON.stringify([filter.key, filter.missing ? 'none' : 'any']);
  }
}

function readFilter(text: string): Filter[] {
  let parts: unknown;
  try {
    parts = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(parts)) return [];
  const [key, kind, ...rest] = parts as unknown[];
  if (typeof key !== 'string') return [];
  const end = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  if (kind === 'in') return [{ key, kind: 'interval', low: end(rest[0]), high: end(rest[1]) }];
  if (kind === 'is') return [{ key, kind: 'values', values: rest.filter((one) => typeof one === 'string') }];
  if (kind === 're' && typeof rest[0] === 'string') return [{ key, kind: 'regex', pattern: rest[0] }];
  return kind === 'none' || kind === 'any' ? [{ key, kind: 'missing', missing: kind === 'none' }] : [];
}

export function writeView(view: HparamsView): string {
  const written = new URLSearchParams();
  const put = (key: string, value: string, otherwise: string): void => {
    if (value !== otherwise) written.set(key, value);
  };
  put('show', view.show, DEFAULTS.show);
  put('read', view.reading, DEFAULTS.reading);
  put('mean', String(view.meanOf), String(DEFAULTS.meanOf));
  put('at', view.at === null ? '' : String(view.at), '');
  put('diff', view.diff ? '1' : '', '');
  put('groups', view.groups ? '1' : '', '');
  put('sort', view.sort, '');
  put('down', view.descending ? '1' : '', '');
  put('open', view.open, '');
  put('colour', view.colour, '');
  put('target', view.target, '');
  for (const key of view.hidden) written.append('hide', key);
  for (const key of view.added) written.append('add', key);
  for (const filter of view.filters) written.append('f', writeFilter(filter));
  for (const [key, scale] of Object.entries(view.scales)) written.append('axis', `${scale} ${key}`);
  if (view.seeds !== null) for (const name of view.seeds.length > 0 ? view.seeds : ['']) written.append('seed', name);
  return written.toString();
}

function whole(text: string | null, low: number, high: number): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Math.min(high, Math.max(low, Number(text))) : null;
}

export function readView(text: string): HparamsView {
  const read = new URLSearchParams(text);
  const said = (key: string): string => read.get(key) ?? '';
  const list = (key: string): string[] => read.getAll(key).slice(0, MOST);
  const scales = list('axis').flatMap((one): [string, AxisScale][] => {
    const [word, ...key] = one.split(' ');
    const scale = SCALES.find((known) => known === word);
    return scale === undefined ? [] : [[key.join(' '), scale]];
  });
  return {
    show: SHOWS.find((one) => one === said('show')) ?? DEFAULTS.show,
    reading: READINGS.find((one) => one === said('read')) ?? DEFAULTS.reading,
    meanOf: whole(read.get('mean'), 1, 1000) ?? DEFAULTS.meanOf,
    at: whole(read.get('at'), 0, 1e15),
    hidden: list('hide'),
    added: list('add').filter((key) => metricOf(key) !== null),
    diff: said('diff') === '1',
    groups: said('groups') === '1',
    seeds: read.has('seed') ? list('seed').filter((name) => name !== '') : null,
    filters: list('f').flatMap(readFilter),
    sort: said('sort'),
    descending: said('down') === '1',
    open: said('open'),
    scales: Object.fromEntries(scales),
    colour: said('colour'),
    target: said('target'),
  };
}
