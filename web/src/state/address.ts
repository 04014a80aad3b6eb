// Writes the view into the part of the address after '#', and reads it back; what it cannot read it ignores.
import type { SegmentsMode, SmoothingMethod, XAxisName } from '../api/types';
import {
  type Bookmark,
  cardKey,
  type CardView,
  COLOUR_SCALES,
  defaultView,
  type GroupBy,
  HISTOGRAM_LOOKS,
  IMAGE_COMPARISONS,
  type ImagesView,
  LONGEST_FORMULA,
  MOST_BRIGHTNESS,
  MOST_COMPARED,
  MOST_CONTRAST,
  MOST_MEAN,
  MOST_OPEN_RANKS,
  MOST_PANELS,
  type Panel,
  type ProfileView,
  type Range,
  RUN_COLUMNS,
  type Selection,
  SMOOTHING,
  type SortKey,
  STACKS,
  TEXT_LOOKS,
  type TextView,
  TILES,
  type View,
} from './view';
import { rounded } from '../draw/number';
import { readTagValue, writeTagValue } from '../runs/tag-values';

const RUN_ID = /^[0-9a-f]{12}$/;
const MAX_LIST = 20_000;
/** Characters of what a tab writes and reads by itself. */
const LONGEST_OWN = 20_000;
/** Views of the Profile tab that had another id in addresses of before. */
const FORMER_SHOW = new Map([
  ['overview', 'report'],
  ['operations', 'ops'],
]);

/** Escapes only what would end a value, so that addresses stay readable. */
function quote(text: string): string {
  return encodeURIComponent(text).replace(/%(2F|3A|2C|3D|40|5B|5D|7C|28|29|24|5E)/g, (all) => decodeURIComponent(all));
}

/** Lists are joined with '~'; a '~' inside an item is doubled with a backslash before it. */
function joinList(items: readonly string[]): string {
  return items.map((item) => item.replace(/[\\~]/g, '\\$&')).join('~');
}

function splitList(text: string): string[] {
  const items: string[] = [''];
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === '\\' && i + 1 < text.length) items[items.length - 1] += text.charAt(++i);
    else if (character === '~') items.push('');
    else items[items.length - 1] += character;
  }
  return items.filter((item) => item !== '').slice(0, MAX_LIST);
}

function readNumber(text: string): number | null {
  if (text.trim() === '') return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

function readRange(text: string): Range | null {
  const [low, high, ...rest] = text.split('..').map(readNumber);
  if (low === undefined || high === undefined || low === null || high === null || rest.length > 0) return null;
  return low < high ? [low, high] : null;
}

/** Windows with their names; what is none is left out. */
function readBookmarks(text: string): Bookmark[] {
  return splitList(text)
    .slice(0, 50)
    .flatMap((item) => {
      const [range = '', ...name] = item.split(' ');
      const window = readRange(range);
      return window === null || name.length === 0 ? [] : [{ window, name: name.join(' ').slice(0, 100) }];
    });
}

const writeRange = ([low, high]: Range): string => `${low}..${high}`;

function oneOf<T extends string>(text: string, allowed: readonly T[]): T | undefined {
  return allowed.find((one) => one === text);
}

function writeSelection(selection: Selection): string {
  if (selection.mode === 'auto') return '';
  const list = selection.runs.join(',');
  if (selection.mode === 'only') return list === '' ? 'none' : list;
  return list === '' ? 'all' : `all,-${list}`;
}

function readSelection(text: string): Selection | undefined {
  const ids = (list: string): string[] => [...new Set(list.split(','))].filter((id) => RUN_ID.test(id));
  if (text === 'none') return { mode: 'only', runs: [] };
  if (text === 'all') return { mode: 'except', runs: [] };
  if (text.startsWith('all,-')) return { mode: 'except', runs: ids(text.slice(5)) };
  const runs = ids(text);
  return runs.length > 0 ? { mode: 'only', runs } : undefined;
}

function writeSort(key: SortKey, descending: boolean): string {
  const name = 'column' in key ? key.column : 'setting' in key ? `hp:${key.setting}` : writeTagValue(key);
  return (descending ? '-' : '') + name;
}

function readSort(text: string): Pick<View, 'sort' | 'descending'> | undefined {
  const descending = text.startsWith('-');
  const name = descending ? text.slice(1) : text;
  const column = oneOf(name, RUN_COLUMNS);
  if (column !== undefined) return { sort: { column }, descending };
  if (name.startsWith('hp:') && name !== 'hp:') return { sort: { setting: name.slice(3) }, descending };
  const sort = readTagValue(name);
  return sort === undefined ? undefined : { sort, descending };
}

function readKey(text: string | undefined): SortKey | undefined {
  return text === undefined ? undefined : readSort(text)?.sort;
}

/** Also what a panel is called among the settings of cards. */
export function writePanel(panel: Panel): string {
  if (panel.kind === 'formula') return joinList(['formula', panel.formula]);
  const keys = panel.kind === 'scatter' ? [panel.x, panel.y] : [panel.value];
  return joinList([panel.kind, ...keys.map((key) => writeSort(key, false))]);
}

function readPanel(text: string): Panel | undefined {
  const [kind, first, second] = splitList(text);
  if (kind === 'formula')
    return first === undefined || first.length > LONGEST_FORMULA ? undefined : { kind, formula: first };
  const [one, other] = [readKey(first), readKey(second)];
  if (kind === 'bar') return one === undefined ? undefined : { kind, value: one };
  return kind === 'scatter' && one !== undefined && other !== undefined ? { kind, x: one, y: other } : undefined;
}

function writeGroup(group: GroupBy): string {
  if (group.by === 'setting') return `hp:${group.setting}`;
  return group.by === 'regex' ? `regex:${group.pattern}` : group.by;
}

function readGroup(text: string): GroupBy | undefined {
  if (text.startsWith('regex:')) return { by: 'regex', pattern: text.slice(6) };
  if (text.startsWith('hp:') && text !== 'hp:') return { by: 'setting', setting: text.slice(3) };
  const by = oneOf(text, ['none', 'path', 'replicates'] as const);
  return by === undefined ? undefined : { by };
}

/** One card's settings: its tag first, then words, for example `loss~log~y=0..1~wide`. */
function writeCard(tag: string, card: CardView): string | null {
  const words: string[] = [];
  if (card.logY !== undefined) words.push(card.logY ? 'log' : 'linear');
  if (card.y !== undefined) words.push(`y=${writeRange(card.y)}`);
  if (card.x !== undefined) words.push(`x=${writeRange(card.x)}`);
  if (card.wide === true) words.push('wide');
  if (card.tall !== undefined) words.push(`tall=${card.tall}`);
  if (card.table !== undefined) words.push(card.table ? 'table' : 'notable');
  return words.length === 0 ? null : joinList([tag, ...words]);
}

function readCard(text: string): [string, CardView] | null {
  const [tag, ...words] = splitList(text);
  if (tag === undefined) return null;
  const card: CardView = {};
  for (const word of words) {
    if (word === 'log' || word === 'linear') card.logY = word === 'log';
    else if (word === 'wide') card.wide = true;
    else if (word === 'table' || word === 'notable') card.table = word === 'table';
    else if (word.startsWith('y=')) {
      const y = readRange(word.slice(2));
      if (y !== null) card.y = y;
    } else if (word.startsWith('x=')) {
      const x = readRange(word.slice(2));
      if (x !== null) card.x = x;
    } else if (word.startsWith('tall=')) {
      const tall = readNumber(word.slice(5));
      if (tall !== null) card.tall = Math.min(1200, Math.max(180, Math.round(tall)));
    }
  }
  return Object.keys(card).length === 0 ? null : [tag, card];
}

export function writeAddress(view: View): string {
  const plain = defaultView();
  const words: string[] = [];
  const put = (key: string, value: string, otherwise = ''): void => {
    if (value !== otherwise) words.push(`${key}=${quote(value)}`);
  };
  const flag = (key: string, value: boolean, otherwise: boolean): void =>
    put(key, value ? 'on' : 'off', otherwise ? 'on' : 'off');
  const number = (key: string, value: number | Range | null): void =>
    put(key, value === null ? '' : typeof value === 'number' ? String(value) : writeRange(value));

  put('runs', writeSelection(view.selection));
  put('find', view.search);
  put('sort', writeSort(view.sort, view.descending), writeSort(plain.sort, plain.descending));
  flag('tree', view.tree, plain.tree);
  put('baseline', view.baseline ?? '');
  put('columns', joinList(view.columns));
  put('goals', joinList(view.goals));
  put('mean', String(view.meanOf), String(plain.meanOf));
  flag('split', view.split, plain.split);
  flag('fold', view.fold, plain.fold);
  put('tags', view.filter);
  put('pins', joinList(view.pins));
  for (const panel of view.panels) put('panel', writePanel(panel));
  for (const tags of view.merged) put('card', joinList(tags));
  put('open', joinList(view.opened));
  put('closed', joinList(view.closed));
  for (const [key, card] of Object.entries(view.cards))
    put('look', writeCard(key.slice(cardKey('').length), card) ?? '');
  put('x', view.x, plain.x);
  put('xtag', view.xTag);
  flag('logx', view.logX, plain.logX);
  flag('logy', view.logY, plain.logY);
  flag('sharey', view.sharedY, plain.sharedY);
  put('perrow', String(view.perRow), String(plain.perRow));
  flag('outliers', !view.ignoreOutliers, !plain.ignoreOutliers);
  const { method, amount } = view.smoothing;
  put('smooth', `${method}:${amount}`, `${plain.smoothing.method}:${plain.smoothing.amount}`);
  put('segments', view.segments, plain.segments);
  put('tooltip', view.tooltip, plain.tooltip);
  flag('tooltipall', view.tooltipAll, plain.tooltipAll);
  flag('tables', view.tables, plain.tables);
  put('group', writeGroup(view.group), writeGroup(plain.group));
  put('band', view.band, plain.band);
  flag('grouprows', view.groupRows, plain.groupRows);
  put('colour', view.colourBy);
  put('colourscale', view.colourScale, plain.colourScale);
  put('facet', view.facetBy);
  number('zoom', view.zoom);
  number('at', view.pinned);
  put('compare', joinList(view.compared));
  put('run', view.inspected ?? '');
  put('value', view.inspectedTag ?? '');
  const { profile } = view;
  put('session', profile.session);
  put('worker', profile.worker);
  put('show', profile.show, plain.profile.show);
  put('part', profile.group);
  number('step', profile.step);
  put('rows', profile.find);
  put('by', profile.sort);
  put('tablecolumns', joinList(profile.columns));
  put('rowsby', profile.rowsBy);
  flag('calls', profile.calls, plain.profile.calls);
  put('stepsby', profile.stepsBy);
  put('range', profile.range);
  put('against', profile.against);
  put('againstrange', profile.againstRange);
  put('trend', profile.trend);
  put('trendby', profile.trendBy);
  flag('hlotree', profile.tree, plain.profile.tree);
  put('program', profile.program);
  put('op', profile.op);
  put('memory', profile.memory);
  put('layers', profile.layers);
  put('scope', profile.scope);
  number('minbytes', profile.minBytes);
  put('turned', profile.turned);
  put('levers', profile.levers);
  number('cores', profile.cores);
  number('stepms', profile.stepMs);
  number('batch', profile.batch);
  number('tokens', profile.tokens);
  put('epochsof', profile.epochsOf);
  put('request', profile.request);
  put('spans', profile.spans);
  number('span', profile.span);
  number('us', profile.window);
  number('area', profile.area);
  put('areaby', profile.areaBy);
  flag('path', profile.path, plain.profile.path);
  put('replay', profile.replay);
  number('alignat', profile.alignAt);
  put('finding', profile.finding);
  put('search', profile.searched);
  put('tracks', profile.tracks);
  put('folded', joinList(profile.folded));
  put('unfolded', profile.unfolded.join(','));
  put('toptracks', profile.topTracks.join(','));
  put('trackorder', profile.trackOrder.join(','));
  put('marks', joinList(profile.bookmarks.map(({ window: [from, to], name }) => `${from}..${to} ${name}`)));
  put('stack', profile.stack);
  put('openranks', joinList(profile.openRanks));
  put('ranksby', profile.ranksBy);
  flag('asrecorded', profile.asRecorded, plain.profile.asRecorded);
  number('atstep', profile.atStep);
  number('againststep', profile.againstStep);
  put('spanof', profile.spanOf);
  put('kind', view.media);
  const { images } = view;
  put('tile', String(images.tile), String(plain.images.tile));
  flag('actual', images.actual, plain.images.actual);
  put('bright', String(images.brightness), '1');
  put('contrast', String(images.contrast), '1');
  if (images.open !== null) put('image', joinList([images.open.run, String(images.open.sample), images.open.tag]));
  put('beside', images.beside);
  put('other', images.other);
  put('kinds', joinList(view.kinds), joinList(plain.kinds));
  put('hist', view.histograms, plain.histograms);
  const { text } = view;
  put('text', text.look, plain.text.look);
  number('since', text.since);
  put('words', text.words);
  if (text.open !== null) put('reading', joinList([text.open.run, text.open.tag]));
  put('projector', view.projector);
  put('hparams', view.hparams);
  put('graphs', view.graphs);
  put('sql', view.query);
  put('viewpoint', view.viewpoint?.map((one) => rounded(one, 4)).join(',') ?? '');
  return `#${quote(view.tab)}${words.length > 0 ? `?${words.join('&')}` : ''}`;
}

/** What an address says, by key; a key that stands several times has all its values. */
function wordsOf(address: string): Map<string, string> {
  const [tab = '', words = ''] = address.split('?', 2);
  const found = new Map([['tab', tab]]);
  for (const word of words.split('&')) {
    const key = word.slice(0, word.indexOf('='));
    found.set(key, `${found.get(key) ?? ''}&${word}`);
  }
  return found;
}

/** The keys that two addresses of ours differ in. */
export function changedKeys(before: string, after: string): string[] {
  const [one, other] = [wordsOf(before), wordsOf(after)];
  return [...new Set([...one.keys(), ...other.keys()])].filter((key) => one.get(key) !== other.get(key)).sort();
}

type Reader = (view: View, text: string) => void;

function assign<K extends keyof View>(key: K, read: (text: string) => View[K] | undefined): Reader {
  return (view, text) => {
    const value = read(text);
    if (value !== undefined) view[key] = value;
  };
}

function assignProfile<K extends keyof ProfileView>(
  key: K,
  read: (text: string) => ProfileView[K] | undefined,
): Reader {
  return (view, text) => {
    const value = read(text);
    if (value !== undefined) view.profile[key] = value;
  };
}

function assignImages<K extends keyof ImagesView>(key: K, read: (text: string) => ImagesView[K] | undefined): Reader {
  return (view, text) => {
    const value = read(text);
    if (value !== undefined) view.images[key] = value;
  };
}

function assignText<K extends keyof TextView>(key: K, read: (text: string) => TextView[K] | undefined): Reader {
  return (view, text) => {
    const value = read(text);
    if (value !== undefined) view.text[key] = value;
  };
}

/** A number from 0 to the most there may be. */
function upTo(most: number): (text: string) => number | undefined {
  return (text) => {
    const value = readNumber(text);
    return value === null ? undefined : Math.min(most, Math.max(0, value));
  };
}

function readImage(text: string): ImagesView['open'] | undefined {
  const [run = '', sample = '', tag = ''] = splitList(text);
  return RUN_ID.test(run) && /^\d{1,7}$/.test(sample) && tag !== '' ? { run, sample: Number(sample), tag } : undefined;
}

function readText(text: string): TextView['open'] | undefined {
  const [run = '', tag = ''] = splitList(text);
  return RUN_ID.test(run) && tag !== '' ? { run, tag } : undefined;
}

/** Whole numbers with commas between, as ids of tracks are. */
function readPlaces(text: string): number[] | undefined {
  return /^\d{1,9}(,\d{1,9}){0,499}$/.test(text) ? text.split(',').map(Number) : undefined;
}

function readViewpoint(text: string): readonly number[] | undefined {
  const numbers = text.split(',').map(readNumber);
  const found = numbers.filter((one) => one !== null);
  return numbers.length === 5 && found.length === 5 ? found : undefined;
}

const onOff = (text: string): boolean | undefined => (text === 'on' ? true : text === 'off' ? false : undefined);
const runId = (text: string): string | undefined => (RUN_ID.test(text) ? text : undefined);

const readLevers = (text: string): string | undefined => (/^[a-z_0-9.,=]{0,500}$/.test(text) ? text : undefined);

const READERS: Record<string, Reader> = {
  runs: assign('selection', readSelection),
  find: assign('search', (text) => text),
  sort: (view, text) => Object.assign(view, readSort(text)),
  tree: assign('tree', onOff),
  baseline: assign('baseline', runId),
  columns: assign('columns', splitList),
  goals: assign('goals', splitList),
  mean: assign('meanOf', (text) => {
    const count = readNumber(text);
    return count === null ? undefined : Math.min(MOST_MEAN, Math.max(1, Math.round(count)));
  }),
  split: assign('split', onOff),
  fold: assign('fold', onOff),
  tags: assign('filter', (text) => text),
  pins: assign('pins', splitList),
  panel: (view, text) => {
    const panel = readPanel(text);
    if (panel !== undefined && view.panels.length < MOST_PANELS) view.panels.push(panel);
  },
  card: (view, text) => {
    const tags = splitList(text);
    if (tags.length > 1) view.merged.push(tags);
  },
  open: assign('opened', splitList),
  closed: assign('closed', splitList),
  look: (view, text) => {
    const found = readCard(text);
    if (found !== null) view.cards[cardKey(found[0])] = found[1];
  },
  x: assign('x', (text) => oneOf<XAxisName>(text, ['step', 'relative', 'wall', 'tag'])),
  xtag: assign('xTag', (text) => text),
  logx: assign('logX', onOff),
  logy: assign('logY', onOff),
  sharey: assign('sharedY', onOff),
  perrow: assign('perRow', (text) => (/^[0-8]$/.test(text) ? Number(text) : undefined)),
  outliers: assign('ignoreOutliers', (text) => {
    const shown = onOff(text);
    return shown === undefined ? undefined : !shown;
  }),
  smooth: assign('smoothing', (text) => {
    const [name = '', amountText = ''] = text.split(':');
    const method = oneOf<SmoothingMethod>(name, ['ema', 'mean', 'median', 'gaussian']);
    const amount = readNumber(amountText);
    if (method === undefined || amount === null) return undefined;
    return { method, amount: Math.min(SMOOTHING[method].max, Math.max(0, amount)) };
  }),
  segments: assign('segments', (text) => oneOf<SegmentsMode>(text, ['latest', 'all', 'split'])),
  tooltip: assign('tooltip', (text) => oneOf(text, ['nearest', 'value', 'value_ascending', 'name'] as const)),
  tooltipall: assign('tooltipAll', onOff),
  tables: assign('tables', onOff),
  group: assign('group', readGroup),
  band: assign('band', (text) => oneOf(text, ['sd', 'ci95', 'minmax', 'quantile'] as const)),
  grouprows: assign('groupRows', onOff),
  colour: assign('colourBy', (text) => text),
  colourscale: assign('colourScale', (text) => oneOf(text, COLOUR_SCALES)),
  facet: assign('facetBy', (text) => text),
  zoom: assign('zoom', (text) => readRange(text) ?? undefined),
  at: assign('pinned', (text) => readNumber(text) ?? readRange(text) ?? undefined),
  compare: assign('compared', (text) =>
    splitList(text)
      .filter((id) => RUN_ID.test(id))
      .slice(0, MOST_COMPARED),
  ),
  run: assign('inspected', runId),
  value: assign('inspectedTag', (text) => text),
  kind: assign('media', (text) => (/^[a-z_]{1,20}$/.test(text) ? text : undefined)),
  text: assignText('look', (text) => oneOf(text, TEXT_LOOKS)),
  since: assignText('since', (text) => readNumber(text) ?? undefined),
  words: assignText('words', (text) => text),
  reading: assignText('open', readText),
  viewpoint: assign('viewpoint', readViewpoint),
  projector: assign('projector', (text) => text.slice(0, LONGEST_OWN)),
  hparams: assign('hparams', (text) => text.slice(0, LONGEST_OWN)),
  sql: assign('query', (text) => text.slice(0, LONGEST_OWN)),
  graphs: assign('graphs', (text) => text.slice(0, LONGEST_OWN)),
  session: assignProfile('session', runId),
  worker: assignProfile('worker', (text) => text),
  show: assignProfile('show', (text) => (/^[a-z]{1,20}$/.test(text) ? (FORMER_SHOW.get(text) ?? text) : undefined)),
  part: assignProfile('group', (text) => (/^[a-z_]{1,20}$/.test(text) ? text : undefined)),
  step: assignProfile('step', (text) => readNumber(text) ?? undefined),
  rows: assignProfile('find', (text) => text),
  tablecolumns: assignProfile('columns', (text) =>
    splitList(text).filter((one) => /^[a-z]{1,20}\.[a-z_]{1,30}$/.test(one)),
  ),
  rowsby: assignProfile('rowsBy', (text) => (/^[a-z]{1,20}$/.test(text) ? text : undefined)),
  calls: assignProfile('calls', onOff),
  stepsby: assignProfile('stepsBy', (text) => text),
  range: assignProfile('range', (text) => text),
  against: assignProfile('against', (text) => text),
  againstrange: assignProfile('againstRange', (text) => text),
  trend: assignProfile('trend', (text) => text),
  trendby: assignProfile('trendBy', (text) => text),
  tile: assignImages('tile', (text) => TILES.find((one) => String(one) === text)),
  actual: assignImages('actual', onOff),
  bright: assignImages('brightness', upTo(MOST_BRIGHTNESS)),
  contrast: assignImages('contrast', upTo(MOST_CONTRAST)),
  image: assignImages('open', readImage),
  beside: assignImages('beside', (text) => oneOf(text, IMAGE_COMPARISONS)),
  other: assignImages('other', runId),
  kinds: assign('kinds', (text) => splitList(text).filter((kind) => /^[a-z_]{1,20}$/.test(kind))),
  hist: assign('histograms', (text) => oneOf(text, HISTOGRAM_LOOKS)),
  hlotree: assignProfile('tree', onOff),
  program: assignProfile('program', (text) => text),
  op: assignProfile('op', (text) => text),
  memory: assignProfile('memory', (text) => text),
  scope: assignProfile('scope', (text) => text.slice(0, 1000)),
  minbytes: assignProfile('minBytes', (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined)),
  layers: assignProfile('layers', (text) => oneOf(text, ['op', 'module', 'kind'] as const)),
  turned: assignProfile('turned', (text) => (/^[\d.]{0,2000}$/.test(text) ? text : undefined)),
  levers: assignProfile('levers', readLevers),
  cores: assignProfile('cores', (text) => (/^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined)),
  stepms: assignProfile('stepMs', (text) =>
    /^\d{1,9}(\.\d{1,6})?$/.test(text) && Number(text) > 0 ? Number(text) : undefined,
  ),
  batch: assignProfile('batch', (text) => (/^[1-9]\d{0,11}$/.test(text) ? Number(text) : undefined)),
  tokens: assignProfile('tokens', (text) => (/^[1-9]\d{0,11}$/.test(text) ? Number(text) : undefined)),
  epochsof: assignProfile('epochsOf', (text) => (text === 'recording' ? text : runId(text))),
  request: assignProfile('request', (text) => text.slice(0, 1000)),
  spans: assignProfile('spans', (text) => text.slice(0, 20_000)),
  us: assignProfile('window', (text) => readRange(text) ?? undefined),
  area: assignProfile('area', (text) => readRange(text) ?? undefined),
  areaby: assignProfile('areaBy', (text) => oneOf(text, ['tracks', 'flame', 'callers'] as const)),
  path: assignProfile('path', onOff),
  replay: assignProfile('replay', readLevers),
  alignat: assignProfile('alignAt', (text) => readNumber(text) ?? undefined),
  finding: assignProfile('finding', (text) => (/^[a-z_0-9]{1,60}$/.test(text) ? text : undefined)),
  search: assignProfile('searched', (text) => text.slice(0, 1000)),
  tracks: assignProfile('tracks', (text) => text.slice(0, 1000)),
  folded: assignProfile('folded', splitList),
  unfolded: assignProfile('unfolded', readPlaces),
  toptracks: assignProfile('topTracks', readPlaces),
  trackorder: assignProfile('trackOrder', readPlaces),
  marks: assignProfile('bookmarks', readBookmarks),
  stack: assignProfile('stack', (text) => oneOf(text, STACKS)),
  openranks: assignProfile('openRanks', (text) => splitList(text).slice(0, MOST_OPEN_RANKS)),
  ranksby: assignProfile('ranksBy', (text) => oneOf(text, ['slow', 'host'] as const)),
  asrecorded: assignProfile('asRecorded', onOff),
  atstep: assignProfile('atStep', (text) => readNumber(text) ?? undefined),
  againststep: assignProfile('againstStep', (text) => readNumber(text) ?? undefined),
  spanof: assignProfile('spanOf', (text) => text.slice(0, 1000)),
  span: assignProfile('span', (text) => readNumber(text) ?? undefined),
  by: assignProfile('sort', (text) => (/^-?[a-z_0-9]{1,40}$/.test(text) ? text : undefined)),
};

function unquote(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `base` is what holds where the address says nothing; it is not changed. */
export function readAddress(hash: string, base: View = defaultView()): View {
  const view = structuredClone(base);
  const body = hash.replace(/^#/, '');
  const mark = body.indexOf('?');
  const tab = unquote(mark < 0 ? body : body.slice(0, mark));
  if (/^[a-z][a-z0-9_-]{0,39}$/.test(tab)) view.tab = tab;
  if (mark < 0) return view;
  for (const word of body.slice(mark + 1).split('&')) {
    const equals = word.indexOf('=');
    if (equals <= 0) continue;
    const key = word.slice(0, equals);
    if (Object.hasOwn(READERS, key)) READERS[key]?.(view, unquote(word.slice(equals + 1)));
  }
  return view;
}
