// What a card asks the server for: which series, at what resolution.
import type { SeriesQuery, SeriesRef } from '../api/types';
import type { ChartOptions } from '../charts/types';
import { visibleName } from '../runs/names';
import type { View } from '../state/view';

/** So many lines have their names beside them. */
const MOST_NAMED = 5;

/** Lines in the tooltip, unless all are wanted. */
const TOOLTIP_ROWS = 5;

/** Points of one card: beyond it more lines get fewer columns each, as nobody can tell 1,000 lines apart. */
const POINT_BUDGET = 400_000;
/** Requests are for one of few widths, so that a small change of size asks for nothing. */
const WIDTHS = [64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096];

export function widthFor(plotPx: number, pixelRatio: number, series: number): number {
  const wanted = plotPx * Math.min(2, Math.max(1, pixelRatio));
  const affordable = POINT_BUDGET / (4 * Math.max(1, series));
  const enough = WIDTHS.find((width) => width >= wanted) ?? 4096;
  const within = WIDTHS.filter((width) => width <= affordable).pop() ?? 64;
  return Math.min(enough, within);
}

/** Runs that have the tag and are drawn. */
export function seriesFor(
  tags: readonly string[],
  visible: Iterable<string>,
  has: (run: string, tag: string) => boolean,
): SeriesRef[] {
  const runs = [...visible];
  return tags.flatMap((tag) => runs.filter((run) => has(run, tag)).map((run) => ({ run, tag })));
}

export function queryFor(view: View, width: number): SeriesQuery {
  const byTag = view.x === 'tag';
  return {
    // Until a tag is chosen, the axis stays the step.
    x: byTag && view.xTag === '' ? 'step' : view.x,
    x_tag: byTag && view.xTag !== '' ? view.xTag : null,
    range: view.zoom === null ? null : [view.zoom[0], view.zoom[1]],
    width,
    log_x: view.logX,
    segments: view.segments,
    smoothing: view.smoothing.amount > 0 ? { method: view.smoothing.method, amount: view.smoothing.amount } : null,
    fold: view.fold,
  };
}

export function xLabelOf(query: Pick<SeriesQuery, 'x' | 'x_tag'>): string {
  switch (query.x) {
    case 'step':
      return 'step';
    case 'relative':
      return 'time since start';
    case 'wall':
      return 'time';
    case 'tag':
      return visibleName(query.x_tag ?? '');
  }
}

/** What the toolbar chose for every chart. */
export function optionsFor(view: View, query: SeriesQuery, curves: number): ChartOptions {
  const { zoom, pinned } = view;
  return {
    xAxis: query.x,
    xLabel: xLabelOf(query),
    logX: view.logX,
    logY: view.logY,
    ignoreOutliers: view.ignoreOutliers,
    xRange: zoom === null ? null : [zoom[0], zoom[1]],
    yRange: null,
    tooltipSort: view.tooltip,
    tooltipRows: view.tooltipAll ? Infinity : TOOLTIP_ROWS,
    groupValue: 'value',
    directLabels: curves <= MOST_NAMED,
    selectedX: typeof pinned === 'object' && pinned !== null ? [pinned[0], pinned[1]] : pinned,
  };
}
