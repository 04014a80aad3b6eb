// The shown stretch of time: how it moves and how its times read. Everything is in microseconds since the start of the profile.
import { ticks } from 'd3-array';
import { formatDuration, formatFixed } from '$web/draw/number';

/** From the left to the right edge. */
export type Window = readonly [from: number, to: number];

/** The stretch of time on screen, in microseconds of one trace, and how far it may be moved. */
export interface TimeAxis {
  readonly current: Window;
  readonly limits: Window;
  show(window: Window): void;
  /**
   * A selection or bookmark, which the address keeps in the time of the first of several traces, in the time of this one;
   * and back.
   */
  own(marked: Window): Window;
  marked(own: Window): Window;
}

/** Closer than this nothing more is to be seen: files have whole nanoseconds. */
const SHORTEST = 0.05;

export const lengthOf = ([from, to]: Window): number => to - from;

/** The window inside the profile, as long as it was where that is possible. Several profiles on one axis begin at another time than 0. */
export function within([from, to]: Window, end: number, start = 0): Window {
  const length = Math.max(SHORTEST, Math.min(to - from, Math.max(end - start, SHORTEST)));
  const middle = (from + to) / 2;
  const first = Math.max(start, Math.min(middle - length / 2, Math.max(start, end - length)));
  return [first, first + length];
}

/** Closer (a factor below one) or farther, around a time that stays where it is. */
export function zoomed([from, to]: Window, factor: number, around: number, end: number, start = 0): Window {
  const length = Math.max(SHORTEST, (to - from) * factor);
  const share = (around - from) / (to - from);
  return within([around - share * length, around + (1 - share) * length], end, start);
}

/** Moved by a share of its length. */
export function moved([from, to]: Window, share: number, end: number, start = 0): Window {
  const by = (to - from) * share;
  return within([from + by, to + by], end, start);
}

/** A stretch with some room at both sides, to look at it and at what is around it. */
export function around(from: number, to: number, end: number, room = 0.5, start = 0): Window {
  const length = Math.max(to - from, SHORTEST);
  return within([from - length * room, to + length * room], end, start);
}

/** The window with as much again at both sides, so that panning shows something at once; a profile has no time before 0. */
export function widened([from, to]: Window): { start_us: number; end_us: number } {
  const start = Math.max(0, from - (to - from));
  return { start_us: start, end_us: Math.max(to + (to - from), start + (to - from)) };
}

/** Nanoseconds: finer times are not in any file, and make addresses long. */
export const inNanoseconds = ([from, to]: Window): [number, number] => [
  Math.round(from * 1000) / 1000,
  Math.round(to * 1000) / 1000,
];

/** A time as short as its neighbours need it: `12.4 ms`, and `12.4038 ms` where the window is a microsecond. */
export function timeText(us: number, window: Window): string {
  const step = lengthOf(window) / 10;
  const far = Math.abs(us);
  const [size, unit] = far >= 1e6 ? [1e6, 's'] : far >= 1e3 ? [1e3, 'ms'] : [1, 'µs'];
  const decimals = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / size))));
  return us === 0 ? '0' : `${formatFixed(us / size, decimals)}\u202f${unit}`;
}

/** How long something takes. */
export const durationText = (us: number): string => formatDuration(us / 1e6);

/** Round times for the ruler. */
export function rulerTimes([from, to]: Window, width: number): number[] {
  return ticks(from, to, Math.max(2, Math.floor(width / 120))).filter((time) => time >= from && time <= to);
}
