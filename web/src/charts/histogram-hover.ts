// What the pointer or the keyboard points at in a card of histograms, and what there is to say about it.
import { bucketAt, type BandsPart, type ExactHistogram, type GridPart } from '../api/histograms';
import { formatCount, formatShare, formatTime, formatValue } from '../draw/number';
import type { Point } from './gestures';
import { slotAt, slotEdges } from './heat';
import type { HistogramScene } from './histogram-scene';
import { describeX } from './hover';
import type { XAxis } from './types';

export interface HistogramHover {
  readonly slot: number;
  /** The place on x whose histogram is meant. */
  readonly at: number;
  readonly value: number;
  readonly point: Point;
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

export function hoverAt(laid: HistogramScene, part: GridPart | BandsPart, point: Point): HistogramHover | null {
  const { scene, time, value, timeAcross, hills } = laid;
  const { first_x, last_x } = part.slots;
  if (timeAcross) {
    const x = time.invert(point.x);
    const slot = slotAt(slotEdges(part.slots, time.domain), x);
    if (slot < 0) return null;
    return { slot, at: clamp(x, first_x[slot] ?? x, last_x[slot] ?? x), value: value.invert(point.y), point };
  }
  const hit = hills?.pick(point.x, point.y, scene.plot);
  if (!hit) return null;
  return { slot: hit.item, at: last_x[hit.item] ?? NaN, value: value.invert(point.x), point };
}

/** The place of a slot and a share of the shown values, as the keyboard moves over them. */
export function pointOf(laid: HistogramScene, part: GridPart | BandsPart, slot: number, share: number): Point {
  const middle = ((part.slots.first_x[slot] ?? NaN) + (part.slots.last_x[slot] ?? NaN)) / 2;
  const [low, high] = laid.value.domain;
  const value = low + share * (high - low);
  const { area, y } = laid.scene.plot;
  if (laid.timeAcross) return { x: laid.time.map(middle), y: laid.value.map(value) };
  return {
    x: laid.value.map(value),
    y: laid.scene.plot.y === laid.time ? y.map(middle) : (area.top + area.bottom) / 2,
  };
}

/** The slot that holds a place on x, or the last before it. */
export function slotOf({ slots }: GridPart | BandsPart, at: number): number {
  return slots.first_x.findLastIndex((first) => first <= at);
}

/** A line of the tooltip: what, and its value. */
export type Fact = readonly [string, string];

export function stepsOf({ slots }: GridPart | BandsPart, slot: number): string {
  const [first, last] = [slots.first_step[slot] ?? NaN, slots.step[slot] ?? NaN];
  const count = slots.count[slot] ?? 0;
  return count > 1 ? `${formatCount(count)} steps, ${formatCount(first)} to ${formatCount(last)}` : '';
}

/** The exact bucket under the pointer, from the log. */
export function bucketFacts(exact: ExactHistogram, value: number): Fact[] {
  const bucket = bucketAt(exact, value);
  const total = exact.count.reduce((sum, count) => sum + count, 0);
  const facts: Fact[] = [['step', formatCount(exact.step)]];
  if (bucket < 0) facts.push(['bucket', total === 0 ? 'empty histogram' : 'none here']);
  else {
    const count = exact.count[bucket] ?? 0;
    facts.push(
      ['left', formatValue(exact.left[bucket] ?? NaN, 6)],
      ['right', formatValue(exact.right[bucket] ?? NaN, 6)],
      [
        'count',
        `${formatValue(count, 9)} of ${formatValue(total, 9)}${total > 0 ? `, ${formatShare(count / total)}` : ''}`,
      ],
    );
  }
  facts.push(['time', formatTime(exact.wall)]);
  return facts;
}

export function levelFacts(part: BandsPart, slot: number, axis: XAxis, at: number): Fact[] {
  const levels = part.shares.map((share, i): Fact => [
    `${formatValue(share * 100)}%`,
    formatValue(part.levels[slot * part.shares.length + i] ?? NaN),
  ]);
  const when = axis === 'step' ? formatCount(part.slots.step[slot] ?? NaN) : describeX(at, axis, '').trim();
  return [['step', when], ...levels.reverse(), ['time', formatTime(part.slots.wall[slot] ?? NaN)]];
}
