// What a file of saved charts contains: runs, their settings and notes, and the curves as the HTTP API gives them.
import type { CurvesFileRequest, CurvesHeader, GroupHeader, RunRow, RunSettings } from '$api';
import { curvesOf, groupsOf, savedFrame, seriesKey, type GroupPart, type SeriesPart } from '$web/api/series';

export interface EmbeddedCurves {
  title: string;
  /** Seconds since 1970. */
  made: number;
  version: string;
  wanted: CurvesFileRequest;
  runs: RunRow[];
  settings: RunSettings[];
  /** The tags of each chart. */
  charts: string[][];
  /** The frame of curves, compressed by gzip, in base64. */
  curves: string;
  /** The frame of groups in the same way; empty without groups. */
  groups: string;
}

/** What the header of the frame of groups says: the groups of each chart, in the order of the request. */
interface SavedGroups {
  charts: { tag: string; groups: GroupHeader[] }[];
}

export interface CurvesFile extends Omit<EmbeddedCurves, 'curves' | 'groups'> {
  /** By seriesKey. */
  parts: ReadonlyMap<string, SeriesPart>;
  /** By the first tag of the chart, in the order of the request; none where the file has single runs alone. */
  groups: ReadonlyMap<string, readonly GroupPart[]>;
}

/** Of the text in the file's block of answers. */
export async function openFile(text: string): Promise<CurvesFile> {
  const { curves, groups, ...said } = JSON.parse(text) as EmbeddedCurves;
  const parts = curvesOf(await savedFrame<CurvesHeader>(curves));
  return {
    ...said,
    parts: new Map(parts.map((part) => [seriesKey(part.run, part.tag), part])),
    groups: groups === '' ? new Map() : await readGroups(groups),
  };
}

async function readGroups(packed: string): Promise<Map<string, GroupPart[]>> {
  const frame = await savedFrame<SavedGroups>(packed);
  return new Map(frame.header.charts.map(({ tag, groups }) => [tag, groupsOf(frame, groups)]));
}

const MARK_VALUES = [Number.NaN, Number.NaN, Infinity, -Infinity];

/** The newest value of a curve, which may not be finite. */
export function lastOf({ x, y, marks }: Pick<SeriesPart, 'x' | 'y' | 'marks'>): number | undefined {
  const [at, mark] = [x[x.length - 1], marks?.x[marks.x.length - 1]];
  if (mark !== undefined && (at === undefined || mark > at))
    return MARK_VALUES[marks?.kind[marks.kind.length - 1] ?? 1];
  return y[y.length - 1];
}
