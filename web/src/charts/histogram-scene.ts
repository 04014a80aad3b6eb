// A card of histograms laid out: which axis is time and which the value, their scales and ticks, for each way to show them.
import type { BandsPart, GridPart, TimeAxis } from '../api/histograms';
import { makeScale, type Interval, type Scale, type ScaleKind } from '../draw/scale';
import { labelledTicks, wholeTicks, type Tick } from '../draw/ticks';
import type { Ink } from '../style/theme';
import { HillsLayer } from './hills';
import { textWidth } from './measure';
import { levelExtent, PercentilesLayer } from './percentiles';
import { FONT, type Scene, type Size } from './scene';

export type HistogramMode = 'heat' | 'percentiles' | 'offset' | 'overlay';

export interface HistogramOptions {
  mode: HistogramMode;
  xAxis: TimeAxis;
  /** What the axis of time is called. */
  timeLabel: string;
  /** The shown part of time, null for all. */
  timeRange: [number, number] | null;
  /** The shown part of the values, null for all. */
  valueRange: [number, number] | null;
  colour: string;
}

export interface HistogramScene {
  readonly scene: Scene;
  readonly time: Scale;
  readonly value: Scale;
  /** Whether time runs from left to right, and values upwards. */
  readonly timeAcross: boolean;
  readonly hills: HillsLayer | null;
}

interface AxisSpec {
  kind: ScaleKind;
  domain: Interval;
  whole: boolean;
}

const TOP = 8;
const BOTTOM = 24;
/** Part of the height that the tallest hill takes, when hills stand behind each other. */
const HILL = 0.4;

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

function timeAxis(part: GridPart | BandsPart, { xAxis, timeRange }: HistogramOptions): AxisSpec {
  const kind = xAxis === 'wall' ? 'wall' : xAxis === 'relative' ? 'duration' : 'linear';
  return { kind, domain: timeRange ?? part.x_extent ?? [0, 1], whole: xAxis === 'step' };
}

function valueAxis(part: GridPart | BandsPart, { valueRange }: HistogramOptions): AxisSpec {
  if (part.kind === 'grid') return { kind: 'linear', domain: part.values, whole: false };
  const [low, high] = levelExtent(part) ?? [0, 1];
  const pad = high > low ? (high - low) * 0.04 : Math.abs(low) / 2 || 0.5;
  return { kind: 'linear', domain: valueRange ?? [low - pad, high + pad], whole: false };
}

const ticksOf = (scale: Scale, count: number, whole: boolean): Tick[] => {
  const ticks = labelledTicks(scale, count);
  return whole ? wholeTicks(ticks) : ticks;
};

/** `inset` pixels above the highest place of y are kept for hills. */
function lay(x: AxisSpec, y: AxisSpec, down: boolean, inset: number, size: Size, ink: Ink): Scene {
  const { width, height } = size;
  const bottom = Math.max(TOP + 20, height - BOTTOM);
  const yScale = makeScale(y.kind, y.domain, down ? [TOP + inset, bottom] : [bottom, TOP + inset]);
  const yTicks = ticksOf(yScale, clamp(Math.round((bottom - TOP - inset) / 44), 2, 6), y.whole);
  const widest = yTicks.reduce((most, tick) => Math.max(most, textWidth(tick.label, FONT)), 0);
  const left = clamp(Math.ceil((widest + 10) / 8) * 8, 32, Math.max(32, width / 3));
  const right = Math.max(left + 20, width - 12);
  const xScale = makeScale(x.kind, x.domain, [left, right]);
  return {
    plot: { area: { left, top: TOP, right, bottom }, x: xScale, y: yScale, ink },
    curves: [],
    xTicks: ticksOf(xScale, clamp(Math.round((right - left) / 70), 3, 6), x.whole),
    yTicks,
    xLabel: '',
    yLabel: '',
    labels: [],
    notes: [],
    layers: [],
  };
}

export function buildHistogramScene(
  part: GridPart | BandsPart,
  options: HistogramOptions,
  size: Size,
  ink: Ink,
): HistogramScene {
  const time = timeAxis(part, options);
  const value = valueAxis(part, options);
  if (part.kind === 'bands' || options.mode === 'heat' || options.mode === 'percentiles') {
    const scene = lay(time, value, false, 0, size, ink);
    const layers = part.kind === 'bands' ? [new PercentilesLayer(part, options.colour)] : [];
    const { x, y } = scene.plot;
    return {
      scene: { ...scene, xLabel: options.timeLabel, layers },
      time: x,
      value: y,
      timeAcross: true,
      hills: null,
    };
  }
  const room = options.mode === 'offset' ? (size.height - TOP - BOTTOM) * HILL : 0;
  const hills = new HillsLayer(part, { colour: options.colour, room });
  if (room > 0) {
    const scene = lay(value, time, true, room, size, ink);
    const { x, y } = scene.plot;
    return { scene: { ...scene, xLabel: 'value', layers: [hills] }, time: y, value: x, timeAcross: false, hills };
  }
  const most = part.cells.reduce((highest, cell) => Math.max(highest, cell), 0) || 1;
  const scene = lay(value, { kind: 'linear', domain: [0, most * 1.05], whole: false }, false, 0, size, ink);
  const across = makeScale(time.kind, time.domain, [scene.plot.area.left, scene.plot.area.right]);
  return {
    scene: { ...scene, xLabel: 'value', layers: [hills] },
    time: across,
    value: scene.plot.x,
    timeAcross: false,
    hills,
  };
}
