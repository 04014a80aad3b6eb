// Which runs and charts a shared file has, and what the server is asked for it.
import type { CurvesFileRequest } from '$api';
import type { Pattern } from '../patterns/pattern';
import type { View } from '../state/view';

/** Points of a curve, unless the reader wants all of them. */
export const USUAL_POINTS = 2000;

export interface Shareable {
  /** Scalar tags in the order of the page: pinned cards, then highlights, then the rest. */
  tags: readonly string[];
  pins: readonly string[];
  highlights: readonly string[];
  merged: readonly (readonly string[])[];
  pattern: Pattern | null;
  /** Whether a run that is drawn has the tag. */
  isDrawn: (tag: string) => boolean;
}

/** The tags of each chart, in the order of the page; a merged card is one chart. */
export function chartsToShare(
  { tags, pins, highlights, merged, pattern, isDrawn }: Shareable,
  pinnedOnly: boolean,
): string[][] {
  const known = new Set(tags);
  const others = new Map(merged.map(([first, ...rest]) => [first, rest]));
  const pinned = pins.filter((tag) => known.has(tag));
  const rest = pinnedOnly
    ? []
    : [...highlights, ...tags].filter((tag) =>
        [tag, ...(others.get(tag) ?? [])].some((one) => pattern === null || pattern.test(one)),
      );
  return [...new Set([...pinned, ...rest])]
    .map((tag) => [tag, ...(others.get(tag) ?? [])].filter((one) => known.has(one) && isDrawn(one)))
    .filter((chart) => chart.length > 0);
}

export interface Chosen {
  title: string;
  charts: string[][];
  runs: string[];
  colours: Record<string, number>;
  everyPoint: boolean;
  /** Drawn instead of single runs; none while runs are not grouped. */
  groups: NonNullable<CurvesFileRequest['groups']>;
}

/** The charts as the page draws them now. */
export function fileRequest(
  view: View,
  { title, charts, runs, colours, everyPoint, groups }: Chosen,
): CurvesFileRequest {
  const byTag = view.x === 'tag' && view.xTag !== '';
  return {
    title,
    charts,
    runs,
    colours,
    points: everyPoint ? null : USUAL_POINTS,
    x: view.x === 'tag' && !byTag ? 'step' : view.x,
    x_tag: byTag ? view.xTag : null,
    range: view.zoom === null ? null : [view.zoom[0], view.zoom[1]],
    log_x: view.logX,
    log_y: view.logY,
    ignore_outliers: view.ignoreOutliers,
    segments: view.segments,
    smoothing: view.smoothing.amount > 0 ? { method: view.smoothing.method, amount: view.smoothing.amount } : null,
    fold: view.fold,
    groups,
    band: view.band,
    colour_by: view.colourBy,
    colour_scale: view.colourScale,
  };
}
