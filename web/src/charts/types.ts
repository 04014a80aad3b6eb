// What a line chart is given and what it reports back; data arrays are plain typed arrays, never reactive.
import type { Guides } from './guides';

export type Dash = 'solid' | 'dashed' | 'dotted';

/** One drawn line; the arrays are reduced points in x order. */
export interface Curve {
  /** Stable id, for example run id + '\u0000' + tag. */
  key: string;
  label: string;
  colour: string;
  dash: Dash;
  x: Float64Array;
  y: Float64Array;
  step: Float64Array;
  wall: Float64Array;
  segment: Int32Array;
  /** When present it is drawn bright, and the raw points faint behind it. */
  smooth?: { x: Float64Array; y: Float64Array; segment: Int32Array };
  /** A filled band around the line, for groups of runs. */
  band?: { x: Float64Array; low: Float64Array; high: Float64Array };
  /** Values that are not finite: kind 1 NaN, 2 +Inf, 3 −Inf. */
  marks?: { x: Float64Array; kind: Uint8Array };
  yExtent: [number, number] | null;
  /** The 5th and 95th percentile of the points in view. */
  yInner: [number, number] | null;
  /** How many points there are in view, drawn or not; unknown where all are drawn. */
  weight?: number;
  xExtent: [number, number] | null;
  /** Points at x ≤ 0 that were not sent, as a logarithmic axis has no place for them. */
  offLogX?: number;
  /** Draws each segment of a restarted run as its own line. */
  splitSegments?: boolean;
}

export type XAxis = 'step' | 'relative' | 'wall' | 'tag';

export type TooltipSort = 'nearest' | 'value' | 'value_ascending' | 'name';

export interface ChartOptions {
  xAxis: XAxis;
  xLabel: string;
  yLabel?: string;
  logX: boolean;
  logY: boolean;
  ignoreOutliers: boolean;
  /** null fits the data; otherwise fixed, zoomed or shared. */
  xRange: [number, number] | null;
  yRange: [number, number] | null;
  tooltipSort: TooltipSort;
  tooltipRows: number;
  /** What the values of groups are, above their column in the tooltip: mean or median. */
  groupValue?: string;
  /** More columns of the tooltip, for the point of a curve that has that step. */
  details?: { heads: readonly string[]; of: (key: string, step: number) => readonly string[] };
  directLabels: boolean;
  /** What stands beside the data. */
  guides?: Guides;
  /** Pinned step or range, in x units. */
  selectedX?: [number, number] | number | null;
}

export interface ChartEvents {
  /** The nearest line's key; null when the pointer leaves. */
  onhover?(e: { x: number; key: string | null } | null): void;
  /** A click, or Enter. */
  onpin?(e: { x: number; step: number } | null): void;
  /** Alt + drag. */
  onrange?(e: [number, number]): void;
  /** Drag, wheel or pan; both null after a double click. */
  onzoom?(x: [number, number] | null, y: [number, number] | null): void;
  /** Width of the plot area in CSS pixels, used to ask for data. */
  onresize?(widthPx: number): void;
}

export interface ChartProps extends ChartEvents {
  curves: Curve[];
  options: ChartOptions;
  /** The x of the cursor shared by all charts. */
  hoverX?: number | null;
  /** The line that is bright in all charts. */
  hoverKey?: string | null;
  height: number;
  loading?: boolean;
  /** What a screen reader says first; the tag's name. */
  name?: string;
}

/** What a mounted chart offers to its owner. */
export interface ChartHandle {
  exportPNG(title: string): Promise<Blob>;
  exportSVG(title: string): string;
}
