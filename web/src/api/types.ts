// The HTTP API's answers under the names that the page uses; their types are made from the server's declarations.
import type {
  Delta,
  FileHealth,
  Folder,
  HealthAnswer,
  Loading,
  RunChanges,
  RunRow,
  RunsAnswer,
  TableRow,
  Tab,
  TagList,
  TagRow,
  UnreadableRow,
} from '$api';

export type { Delta, Folder, Loading, RunsAnswer, TableRow };
export type Health = HealthAnswer;
export type HealthFile = FileHealth;
export type Run = RunRow;
export type RunPatch = Partial<RunChanges>;
export type RunRole = NonNullable<RunRow['role']>;
export type RunStatus = RunRow['status'];
export type TabInfo = Tab;
export type TagsAnswer = TagList;
export type Unreadable = UnreadableRow;
export type WireTag = TagRow;

/** JSON has no NaN or infinities: they travel as strings. */
export type WireNumber = number | 'NaN' | 'Infinity' | '-Infinity';

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

export function toNumber(value: WireNumber | null): number | null {
  return value === null ? null : Number(value);
}
