// What a file of saved charts contains: runs, their settings and notes, and the curves as the HTTP API gives them.
import type { CurvesFileRequest, RunRow, RunSettings } from '$api';
import { savedCurves, seriesKey, type SeriesPart } from '$web/api/series';

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
}

export interface CurvesFile extends Omit<EmbeddedCurves, 'curves'> {
  /** By seriesKey. */
  parts: ReadonlyMap<string, SeriesPart>;
}

/** Of the text in the file's block of answers. */
export async function openFile(text: string): Promise<CurvesFile> {
  const { curves, ...said } = JSON.parse(text) as EmbeddedCurves;
  const parts = await savedCurves(curves);
  return { ...said, parts: new Map(parts.map((part) => [seriesKey(part.run, part.tag), part])) };
}

const MARK_VALUES = [Number.NaN, Number.NaN, Infinity, -Infinity];

/** The newest value of a curve, which may not be finite. */
export function lastOf({ x, y, marks }: Pick<SeriesPart, 'x' | 'y' | 'marks'>): number | undefined {
  const [at, mark] = [x[x.length - 1], marks?.x[marks.x.length - 1]];
  if (mark !== undefined && (at === undefined || mark > at))
    return MARK_VALUES[marks?.kind[marks.kind.length - 1] ?? 1];
  return y[y.length - 1];
}
