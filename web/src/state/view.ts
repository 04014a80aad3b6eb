// What the user has chosen to see: the shape of the page's state that lives in the address bar.
import type { BandKind, RunRole, SegmentsMode, SeriesRef, Smoothing, SmoothingMethod, XAxisName } from '../api/types';

export type Range = [number, number];

/** A named window of the trace, in microseconds. */
export interface Bookmark {
  readonly window: readonly [number, number];
  readonly name: string;
}

/** Which runs are drawn. `auto` is all of up to 30 runs, else the newest 20. */
export type Selection = { mode: 'auto' } | { mode: 'except'; runs: string[] } | { mode: 'only'; runs: string[] };

export const COLOUR_SCALES = ['auto', 'linear', 'log'] as const;
export type ColourScale = (typeof COLOUR_SCALES)[number];

export type GroupBy =
  | { by: 'none' }
  | { by: 'path' }
  | { by: 'replicates' }
  | { by: 'setting'; setting: string }
  | { by: 'regex'; pattern: string };

/** What of a tag's points: `mean` is of the last `meanOf`. */
export const SORT_KINDS = ['last', 'min', 'max', 'mean'] as const;
export type SortKind = (typeof SORT_KINDS)[number];
export const MOST_MEAN = 1000;
export const MOST_COMPARED = 8;
/** A value of a tag: of which points, and of which run where an experiment has several; null where there is one. */
export interface TagValue {
  kind: SortKind;
  tag: string;
  role: RunRole | null;
}
/** A column of the run list: one of the run's own, a setting, or a value of a tag. */
export const RUN_COLUMNS = ['newest', 'name', 'status', 'points', 'duration', 'host', 'labels'] as const;
export type SortKey = { column: (typeof RUN_COLUMNS)[number] } | { setting: string } | TagValue;

/** A chart that the user added: a formula over tags of each run, or columns of the run table. */
export type Panel =
  { kind: 'formula'; formula: string } | { kind: 'scatter'; x: SortKey; y: SortKey } | { kind: 'bar'; value: SortKey };
export const LONGEST_FORMULA = 500;
export const MOST_PANELS = 50;

export type TooltipOrder = 'nearest' | 'value' | 'value_ascending' | 'name';

/** One card's own settings; what is absent follows the page's. */
export interface CardView {
  logY?: boolean;
  y?: Range;
  /** Only where cards do not share their x. */
  x?: Range;
  wide?: boolean;
  tall?: number;
  /** The table of values below the chart. */
  table?: boolean;
}

export interface View {
  tab: string;
  selection: Selection;
  /** The run list's search. */
  search: string;
  sort: SortKey;
  descending: boolean;
  tree: boolean;
  /** Row id that all numbers are compared with. */
  baseline: string | null;
  /** What the table shows besides its own columns: a tag, `hp:` and a setting, or a fact; with `-` in front what it leaves out. */
  columns: string[];
  /** Tags whose best value is not the one that their name suggests. */
  goals: string[];
  /** How many last points the mean of a tag is of. */
  meanOf: number;
  /** Experiments' train and validation folders as separate rows. */
  split: boolean;
  /** torch's add_scalars and add_hparams folders inside their parent. */
  fold: boolean;
  /** Regular expression over tags. */
  filter: string;
  /** Pinned cards, by their first tag. */
  pins: string[];
  /** Charts that the user added; they stand after the pinned cards. */
  panels: Panel[];
  /** Cards of several tags; the first names the card. */
  merged: string[][];
  /** Sections whose open state is not the default. */
  opened: string[];
  closed: string[];
  /** By cardKey of the card's first tag. */
  cards: Record<string, CardView>;
  x: XAxisName;
  xTag: string;
  logX: boolean;
  logY: boolean;
  /** All cards of a section have one y range. */
  sharedY: boolean;
  /** Cards side by side; 0 for as many as fit well. */
  perRow: number;
  ignoreOutliers: boolean;
  smoothing: Smoothing;
  segments: SegmentsMode;
  tooltip: TooltipOrder;
  /** Every line in the tooltip, instead of the nearest few. */
  tooltipAll: boolean;
  /** A table of values below every chart. */
  tables: boolean;
  group: GroupBy;
  band: BandKind;
  /** The table lists groups instead of runs, while runs are grouped. */
  groupRows: boolean;
  /** The setting whose value colours runs; empty for colours of their own. */
  colourBy: string;
  /** How its numbers are placed on the ramp; by their range unless the user chooses. */
  colourScale: ColourScale;
  /** The setting that every chart has a small one for each value of; empty for none. */
  facetBy: string;
  /** The part of x that all charts show, in units of x. */
  zoom: Range | null;
  /** The pinned x, or range of x. */
  pinned: number | Range | null;
  /** Rows whose settings and texts stand side by side on the page Compare. */
  compared: string[];
  /** Run row that the inspector shows. */
  inspected: string | null;
  /** Tag of the inspector's table. */
  inspectedTag: string | null;
  profile: ProfileView;
  /** The kind that the tab Media shows; empty for the first that has data. */
  media: string;
  images: ImagesView;
  text: TextView;
  /** From where meshes are seen, as five numbers; null for where everything is seen. */
  viewpoint: readonly number[] | null;
  /** What the tab Projector shows, as its own code writes and reads it. */
  projector: string;
  /** What the tab HParams shows, as its own code writes and reads it. */
  hparams: string;
  /** The SQL of the tab Query. */
  query: string;
  /** What the tab Graphs shows, as its own code writes and reads it. */
  graphs: string;
  /** The kinds of cards among the charts: scalar, histogram, image. */
  kinds: string[];
  /** How histograms are drawn. */
  histograms: HistogramLook;
}

export const HISTOGRAM_LOOKS = ['heat', 'percentiles', 'offset', 'overlay'] as const;
export type HistogramLook = (typeof HISTOGRAM_LOOKS)[number];

export const TEXT_LOOKS = ['rendered', 'raw', 'difference'] as const;

/** How text is shown. */
export interface TextView {
  look: (typeof TEXT_LOOKS)[number];
  /** The step that differences are since; null for the step before. */
  since: number | null;
  /** Words that are looked for in all steps. */
  words: string;
  /** The text that is open over the page. */
  open: SeriesRef | null;
}

/** How images are shown. */
export interface ImagesView {
  /** Width of a tile in pixels, one of TILES. */
  tile: number;
  /** One image pixel for one of the screen, instead of as large as the tile. */
  actual: boolean;
  /** Factors; 1 leaves images as they are. */
  brightness: number;
  contrast: number;
  /** The image that is open over the page. */
  open: (SeriesRef & { sample: number }) | null;
  /** How the open image is compared with those of other runs; empty for not at all. */
  beside: '' | (typeof IMAGE_COMPARISONS)[number];
  /** The run that it is compared with over one another; empty for the first other. */
  other: string;
}
export const IMAGE_COMPARISONS = ['beside', 'swipe', 'difference'] as const;
export const TILES = [140, 220, 340, 520] as const;
export const MOST_BRIGHTNESS = 3;
export const MOST_CONTRAST = 5;

/** What the Profile tab shows. */
export interface ProfileView {
  /** Session id, or a run's for its newest; empty for the newest of all. */
  session: string;
  /** One of the session's workers; empty for all. */
  worker: string;
  /** One of the tab's parts. */
  show: string;
  /** The time group whose definition is open. */
  group: string;
  /** The chosen step's number; with a server only until the steps are known, and then it is the range. */
  step: number | null;
  /** Words that rows of the tables must have. */
  find: string;
  /** Column that the tables are sorted by, with a minus for descending; empty for their own order. */
  sort: string;
  /** Columns that are shown though usually not, or not though usually so, as `kernels.grid`. */
  columns: string[];
  /** What makes one row of a table; empty for a row a name. */
  rowsBy: string;
  /** Runtime, framework and Python calls are listed among the operations. */
  calls: boolean;
  /** How steps are found; empty for the best way there is. */
  stepsBy: string;
  /** The steps, time or epochs that are looked at, as the server reads it; empty for all. */
  range: string;
  /** The session that the chosen one is compared with, and which range of it. */
  against: string;
  againstRange: string;
  /** Ids of the sessions that are drawn beside each other, with commas between; empty for those of the chosen one's run. */
  trend: string;
  /** The hyperparameter that they are drawn along; empty for the one that differs. */
  trendBy: string;
  /** Compiled operations are shown as a tree. */
  tree: boolean;
  /** The compiled operation that is looked at, and its program. */
  program: string;
  op: string;
  /** The memory that is looked at, by its name; empty for the first. */
  memory: string;
  /** What makes a layer of its timeline; empty for the best there is. */
  layers: string;
  /** How operations or modules of memory must begin, and what is too small to be listed. */
  scope: string;
  minBytes: number | null;
  /** Places of the tree of modules that are not open or closed as at first, with dots between. */
  turned: string;
  /** Levers of what-if that are pulled: what is left of each one's time, or a number of workers. */
  levers: string;
  /** Cores of the machine that was recorded, where the user says it. */
  cores: number | null;
  /** Milliseconds of a median step without the profiler, where the user says it. */
  stepMs: number | null;
  /** Examples in one rank's step and tokens in one example, where the user says them. */
  batch: number | null;
  tokens: number | null;
  /** Whose epochs are looked at: `recording`, or a run's id; empty for the best there is. */
  epochsOf: string;
  /** The annotation that is around one request; empty for the likeliest, `*` for each step. */
  request: string;
  /** The row of a table, or the evidence, whose spans are listed beside the view; empty for none. */
  spans: string;
  /** Row of the span that is looked at, among them or in the trace; null for the first of them. */
  span: number | null;
  /** What the trace shows, in microseconds since the start of the profile; null for what it begins with. */
  window: Range | null;
  /** The stretch of time that is selected in the trace, in microseconds. */
  area: Range | null;
  /** How the selected time is summed up: by name, or `tracks`, `flame`, `callers`. */
  areaBy: string;
  /** The critical path is drawn through the trace. */
  path: boolean;
  /** Changes whose replay is drawn below the trace, as `kernels=0.5`; empty for none. */
  replay: string;
  /** The step at whose start the replay and the recorded steps are aligned; null for the first one. */
  alignAt: number | null;
  /** The rule whose finding is open in the trace; empty for none. */
  finding: string;
  /** What is searched for among the spans of the trace. */
  searched: string;
  /** Only tracks with these letters. */
  tracks: string;
  /** Processes and tracks that are folded in the trace, as `p:host` and `t:3`; those folded at first and opened, as `o:System`. */
  folded: string[];
  /** Tracks of which every line is shown, and those that are pinned to the top. */
  unfolded: number[];
  topTracks: number[];
  /** Tracks that were moved, before the others of their process. */
  trackOrder: number[];
  bookmarks: Bookmark[];
  /** How traces are stacked on one time axis: `ranks` of the session, `profiles` (this one and `against`); empty for one trace. */
  stack: (typeof STACKS)[number];
  /** Ranks whose tracks are open in the stack, by their workers. */
  openRanks: string[];
  /** The order of ranks: by rank, `slow` or `host`. */
  ranksBy: string;
  /** Whether ranks are placed by their own clocks instead of aligned by their collectives. */
  asRecorded: boolean;
  /** Steps of this profile and of `against` that start at the same time in the stack; null for the first typical ones. */
  atStep: number | null;
  againstStep: number | null;
  /** Of which trace in the stack the chosen span is: a worker, or `against`. */
  spanOf: string;
}

export const STACKS = ['', 'ranks', 'profiles'] as const;
/** More open traces would each have a few lines of the screen. */
export const MOST_OPEN_RANKS = 8;

export function defaultView(): View {
  return {
    tab: 'scalars',
    selection: { mode: 'auto' },
    search: '',
    sort: { column: 'newest' },
    descending: true,
    tree: false,
    baseline: null,
    columns: [],
    goals: [],
    meanOf: 10,
    split: false,
    fold: true,
    filter: '',
    pins: [],
    panels: [],
    merged: [],
    opened: [],
    closed: [],
    cards: {},
    x: 'step',
    xTag: '',
    logX: false,
    logY: false,
    sharedY: false,
    perRow: 0,
    ignoreOutliers: true,
    smoothing: { method: 'ema', amount: 0 },
    segments: 'latest',
    tooltip: 'value',
    tooltipAll: false,
    tables: false,
    group: { by: 'none' },
    band: 'ci95',
    groupRows: true,
    colourBy: '',
    colourScale: 'auto',
    facetBy: '',
    zoom: null,
    pinned: null,
    compared: [],
    inspected: null,
    inspectedTag: null,
    profile: {
      session: '',
      worker: '',
      show: 'report',
      group: '',
      step: null,
      find: '',
      sort: '',
      columns: [],
      rowsBy: '',
      calls: false,
      stepsBy: '',
      range: '',
      against: '',
      againstRange: '',
      trend: '',
      trendBy: '',
      tree: false,
      program: '',
      op: '',
      memory: '',
      layers: '',
      scope: '',
      minBytes: null,
      turned: '',
      levers: '',
      cores: null,
      stepMs: null,
      batch: null,
      tokens: null,
      epochsOf: '',
      request: '',
      spans: '',
      span: null,
      window: null,
      area: null,
      areaBy: '',
      path: false,
      replay: '',
      alignAt: null,
      finding: '',
      searched: '',
      tracks: '',
      folded: [],
      unfolded: [],
      topTracks: [],
      trackOrder: [],
      bookmarks: [],
      stack: '',
      openRanks: [],
      ranksBy: '',
      asRecorded: false,
      atStep: null,
      againstStep: null,
      spanOf: '',
    },
    media: '',
    images: { tile: 220, actual: false, brightness: 1, contrast: 1, open: null, beside: '', other: '' },
    text: { look: 'rendered', since: null, words: '', open: null },
    viewpoint: null,
    projector: '',
    hparams: '',
    query: '',
    graphs: '',
    kinds: ['scalar'],
    histograms: 'heat',
  };
}

/** A tag may be called `__proto__` or `constructor`: with a word in front it is a key like any other. */
export function cardKey(tag: string): string {
  return `tag:${tag}`;
}

/** Ends rounded to a ten-thousandth of the range: as exact as a hand on a mouse, and short in the address. */
export function roundRange([low, high]: Range): Range {
  const unit = 10 ** Math.floor(Math.log10((high - low) / 10_000));
  if (!Number.isFinite(unit) || unit === 0) return [low, high];
  // Dividing by the inverse keeps 0.3 from becoming 0.30000000000000004.
  const round = (value: number): number =>
    unit < 1 ? Math.round(value * Math.round(1 / unit)) / Math.round(1 / unit) : Math.round(value / unit) * unit;
  return [round(low), round(high)];
}

/** The largest amount of each method, and what its slider starts with. */
export const SMOOTHING: Record<SmoothingMethod, { max: number; step: number; start: number; unit: string }> = {
  ema: { max: 0.999, step: 0.001, start: 0.6, unit: '' },
  mean: { max: 501, step: 2, start: 21, unit: 'points' },
  median: { max: 501, step: 2, start: 21, unit: 'points' },
  gaussian: { max: 200, step: 0.5, start: 5, unit: 'points' },
};
