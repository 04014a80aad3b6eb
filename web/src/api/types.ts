// The HTTP API's questions and answers under the names that the page uses; all types are made from the server's declarations.
import type {
  CurvesRequest,
  Delta,
  FileHealth,
  Folder,
  GroupsRequest,
  HealthAnswer,
  Loading,
  RunAbout,
  RunChanges,
  RunRow,
  RunsAnswer,
  RunSettings,
  SeriesName,
  Smoothing,
  Tab,
  TableRequest,
  TableRow,
  TagList,
  TagRow,
  UnreadableRow,
} from '$api';

export type { Delta, Folder, Loading, RunAbout, RunsAnswer, RunSettings, Smoothing, TableRow };
export type Health = HealthAnswer;
export type HealthFile = FileHealth;
export type Run = RunRow;
export type RunPatch = RunChanges;
export type RunRole = NonNullable<RunRow['role']>;
export type RunStatus = RunRow['status'];
export type SeriesRef = SeriesName;
export type TabInfo = Tab;
export type TagsAnswer = TagList;
/** A tag; TagIndex knows the runs that have it. */
export type Tag = Omit<TagRow, 'runs'>;
export type Unreadable = UnreadableRow;

/** JSON has no NaN or infinities: they travel as strings. */
export type WireNumber = NonNullable<TableRow['value']>;

/** Everything about a request for curves but which curves. */
export type SeriesQuery = Omit<Required<CurvesRequest>, 'series' | 'formulas'> & Pick<CurvesRequest, 'formulas'>;
export type GroupsQuery = Required<GroupsRequest>;
export type TableQuery = Required<TableRequest>;

export type XAxisName = SeriesQuery['x'];
export type SegmentsMode = SeriesQuery['segments'];
export type SmoothingMethod = Smoothing['method'];
export type BandKind = GroupsQuery['band'];

export function toNumber(value: WireNumber | null): number | null {
  return value === null ? null : Number(value);
}
