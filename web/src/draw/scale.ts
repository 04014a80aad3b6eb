// Scales: values to pixels and back. Every drawing in the page, charts and traces alike, is placed by two of these.
import { ticks as linearTicks } from 'd3-array';
import { timeTicks } from 'd3-time';

/** `wall` is seconds since 1970, `duration` is seconds; both are linear but have ticks of their own. */
export type ScaleKind = 'linear' | 'log' | 'symlog' | 'wall' | 'duration';

export type Interval = readonly [number, number];

export interface Scale {
  readonly kind: ScaleKind;
  readonly domain: Interval;
  /** Pixels; the first may be the larger one, as on a y axis. */
  readonly range: Interval;
  /** NaN for a value that the scale cannot show, such as 0 on a logarithmic one. */
  map(value: number): number;
  invert(pixel: number): number;
  /** About `count` round values inside the domain, ascending. */
  ticks(count: number): number[];
}

interface Transform {
  forward(value: number): number;
  back(value: number): number;
}

const identity: Transform = { forward: (v) => v, back: (v) => v };
// Math.log of a negative number is NaN and of zero −∞; both must come out as "cannot be shown".
const logarithm: Transform = { forward: (v) => (v > 0 ? Math.log(v) : NaN), back: Math.exp };
const symmetricLog: Transform = {
  forward: (v) => Math.sign(v) * Math.log1p(Math.abs(v)),
  back: (v) => Math.sign(v) * Math.expm1(Math.abs(v)),
};

function transformOf(kind: ScaleKind): Transform {
  if (kind === 'log') return logarithm;
  return kind === 'symlog' ? symmetricLog : identity;
}

const DURATION_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800,
];

function durationTicks([low, high]: Interval, count: number): number[] {
  const wanted = (high - low) / count;
  const longest = DURATION_STEPS[DURATION_STEPS.length - 1];
  if (wanted < 1) return linearTicks(low, high, count);
  if (wanted > longest) return linearTicks(low / 86400, high / 86400, count).map((days) => days * 86400);
  // The step nearest in ratio, so that the number of ticks is as near to the wish as it can be.
  const step = DURATION_STEPS.reduce((best, s) =>
    Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best,
  );
  const result: number[] = [];
  for (let tick = Math.ceil(low / step); tick * step <= high; tick += 1) result.push(tick * step);
  return result;
}

const isPower = (value: number): boolean => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
const leadingDigit = (value: number): number => Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9));

/** Written out and read back, since 10 ** -5 is not quite 1e-5. */
const powerOfTen = (exponent: number): number => Number(`1e${exponent}`);

/** The digits of every power of ten inside the domain; powers alone where they are many; linear steps where nothing fits. */
function everyLogTick([low, high]: Interval, count: number): number[] {
  const [first, last] = [Math.log10(low), Math.log10(high)];
  if (last - first >= count) return linearTicks(first, last, Math.min(last - first, count)).map(powerOfTen);
  const result: number[] = [];
  for (let power = Math.floor(first); power <= Math.ceil(last); power += 1)
    for (let digit = 1; digit < 10; digit += 1) {
      const tick = power < 0 ? digit / powerOfTen(-power) : digit * powerOfTen(power);
      if (tick >= low && tick <= high) result.push(tick);
    }
  return result.length * 2 < count ? linearTicks(low, high, count) : result;
}

function logTicks(domain: Interval, count: number): number[] {
  const all = everyLogTick(domain, count);
  if (all.length <= count + 2) return all;
  const few = all.filter((tick) => [1, 2, 5].includes(leadingDigit(tick)));
  if (few.length <= count + 2) return few;
  const powers = all.filter(isPower);
  const stride = Math.ceil(powers.length / (count + 1));
  return powers.filter((tick) => Math.round(Math.log10(tick)) % stride === 0);
}

/** Calendar times; parts of a second are beyond the calendar, and finer than its milliseconds. */
function wallTicks([low, high]: Interval, count: number): number[] {
  if ((high - low) / count < 0.5) {
    const second = Math.floor(low);
    return linearTicks(low - second, high - second, count).map((tick) => second + tick);
  }
  return timeTicks(new Date(low * 1000), new Date(high * 1000), count).map((date) => date.getTime() / 1000);
}

function ticksOf(kind: ScaleKind, domain: Interval, count: number): number[] {
  const [low, high] = domain;
  switch (kind) {
    case 'log':
      return logTicks(domain, count);
    case 'wall':
      return wallTicks(domain, count);
    case 'duration':
      return durationTicks(domain, count);
    case 'symlog':
    case 'linear':
      return linearTicks(low, high, count);
  }
}

/** Half of this range is still a number, so that widths can be computed. */
const LARGEST = 8e307;

/** A domain that can be divided by: ascending, finite, wider than rounding errors, positive where it must be. */
function usable(kind: ScaleKind, [a, b]: Interval): Interval {
  let low = Math.max(Math.min(a, b), -LARGEST);
  let high = Math.min(Math.max(a, b), LARGEST);
  if (Number.isNaN(low + high)) return kind === 'log' ? [1, 10] : [0, 1];
  if (kind === 'log' && high <= 0) return [1, 10];
  if (kind === 'log') {
    if (low <= 0) low = high / 1e6;
    return high / low < 1 + 1e-9 ? [low / 1.1, high * 1.1] : [low, high];
  }
  const least = Math.max(Math.abs(low), Math.abs(high)) * 1e-12 || 1e-300;
  if (high - low < least) {
    const pad = Math.max(Math.abs(low) * 0.05, least * 10, low === 0 ? 1 : 0);
    low -= pad;
    high += pad;
  }
  return [low, high];
}

export function makeScale(kind: ScaleKind, wanted: Interval, range: Interval): Scale {
  const domain = usable(kind, wanted);
  const { forward, back } = transformOf(kind);
  const start = forward(domain[0]);
  const factor = (range[1] - range[0]) / (forward(domain[1]) - start);
  return {
    kind,
    domain,
    range,
    map: (value) => range[0] + (forward(value) - start) * factor,
    invert: (pixel) => back(start + (pixel - range[0]) / factor),
    ticks: (count) => ticksOf(kind, domain, count),
  };
}

/** The domain after zooming by `factor` (below 1 = closer) around `centre`, straight in the scale's own space. */
export function zoomed(scale: Scale, factor: number, centre: number): [number, number] {
  const { forward, back } = transformOf(scale.kind);
  const middle = forward(centre);
  const ends = scale.domain.map((end) => back(middle + (forward(end) - middle) * factor));
  return [ends[0], ends[1]];
}

/** The domain after moving by a share of its width. */
export function shifted(scale: Scale, share: number): [number, number] {
  const { forward, back } = transformOf(scale.kind);
  const [low, high] = scale.domain.map(forward);
  const by = (high - low) * share;
  return [back(low + by), back(high + by)];
}
