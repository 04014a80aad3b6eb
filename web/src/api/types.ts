// The shapes of the HTTP API's JSON answers, as docs/http-api.md describes them.

/** JSON has no NaN or infinities: they travel as strings. */
export type WireNumber = number | 'NaN' | 'Infinity' | '-Infinity';

export type LoadingState = 'scanning' | 'loading' | 'live' | 'once';

export interface Loading {
  state: LoadingState;
  files_done: number;
  files: number;
  bytes_done: number;
  bytes: number;
}

export interface Unreadable {
  path: string;
  reason: string;
}

export interface TabInfo {
  id: string;
  label: string;
  has_data: boolean;
}

export interface Folder {
  name: string;
  title: string;
  version: string;
  roots: { name: string; path: string }[];
  epoch: number;
  loading: Loading;
  runs: number;
  live_runs: number;
  series: number;
  tags: number;
  points: number;
  files: number;
  bytes: number;
  skipped_records: number;
  newest: number | null;
  reload_interval: number;
  unreadable: Unreadable[];
  /** Sessions of profiles. */
  profiles: number;
  tabs: TabInfo[];
}

export type RunStatus = 'live' | 'finished' | 'stopped' | 'stale';
export type RunRole = 'train' | 'validation' | 'eval' | 'test';

export interface Run {
  id: string;
  name: string;
  root: string;
  experiment: string | null;
  role: RunRole | null;
  status: RunStatus;
  status_reason: string;
  started: number | null;
  last_event: number | null;
  last_write: number | null;
  points: number;
  series: number;
  files: number;
  bytes: number;
  skipped_records: number;
  writers_at_once: number;
  restarts: number;
  /** Sessions of profiles. */
  profiles: number;
  notices: string[];
  display_name: string | null;
  note: string | null;
  colour: string | null;
  hidden: boolean;
  pinned: boolean;
}

export type RunPatch = Partial<Pick<Run, 'display_name' | 'note' | 'colour' | 'hidden' | 'pinned'>>;

export interface RunsAnswer {
  epoch: number;
  fold: boolean;
  runs: Run[];
}

export interface WireTag {
  name: string;
  kind: string;
  display_name: string | null;
  description: string | null;
  points: number;
  series: number;
  runs: string;
}

export interface TagsAnswer {
  epoch: number;
  runs: string[];
  tags: WireTag[];
}

export interface SeriesRef {
  run: string;
  tag: string;
}

export type XAxisName = 'step' | 'relative' | 'wall' | 'tag';
export type SegmentsMode = 'latest' | 'all' | 'split';
export type SmoothingMethod = 'ema' | 'mean' | 'median' | 'gaussian';
export type BandKind = 'sd' | 'ci95' | 'minmax' | 'quantile';

export interface Smoothing {
  method: SmoothingMethod;
  amount: number;
}

/** Everything about a request for curves but which curves. */
export interface SeriesQuery {
  x: XAxisName;
  x_tag: string | null;
  range: [number, number] | null;
  width: number;
  log_x: boolean;
  segments: SegmentsMode;
  smoothing: Smoothing | null;
  fold: boolean;
}

export interface GroupsQuery extends Omit<SeriesQuery, 'x_tag'> {
  tag: string;
  groups: { name: string; runs: string[] }[];
  band: BandKind;
  quantiles: [number, number];
}

export interface TableQuery {
  series: SeriesRef[];
  x: XAxisName;
  x_tag: string | null;
  at: number | null;
  range: [number, number] | null;
  segments: SegmentsMode;
  smoothing: Smoothing | null;
  fold: boolean;
}

export interface TableRow extends SeriesRef {
  count: number;
  value: WireNumber | null;
  smoothed: WireNumber | null;
  step: number | null;
  wall: number | null;
  relative: number | null;
  first: WireNumber | null;
  last: WireNumber | null;
  min: WireNumber | null;
  min_step: number | null;
  max: WireNumber | null;
  max_step: number | null;
  mean: WireNumber | null;
  change: WireNumber | null;
  change_fraction: WireNumber | null;
}

export interface HealthFile {
  file: string;
  run: string;
  bytes: number;
  bytes_read: number;
  records: number;
  skipped: number;
  skipped_bytes: number;
  reason: string | null;
  offset: number | null;
  state: 'good' | 'damaged' | 'waiting' | 'unreadable';
}

export interface Health {
  epoch: number;
  files: HealthFile[];
  unreadable: Unreadable[];
}

export interface Delta {
  epoch: number;
  points: number;
  live_runs: number;
  newest: number | null;
  loading: Loading;
  runs_changed: boolean;
  tags_changed: boolean;
  changed: Record<string, string[]>;
  changed_all: boolean;
}

export function toNumber(value: WireNumber | null): number | null {
  return value === null ? null : Number(value);
}
