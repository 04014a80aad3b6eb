// Tick labels: all ticks of an axis share their unit and number of decimals, so that they can be compared at a glance.
import { formatFixed, formatValue } from './number';
import type { Scale } from './scale';

export interface Tick {
  readonly value: number;
  readonly label: string;
}

const MINUS = '\u2212';
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const SUFFIXES: readonly (readonly [number, string])[] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

const smallestGap = (values: number[]): number =>
  values.slice(1).reduce((gap, value, i) => Math.min(gap, value - values[i]), Infinity);

/** Decimals needed to tell apart values that differ by `gap`. */
function decimalsFor(gap: number): number {
  if (!Number.isFinite(gap) || gap <= 0) return 0;
  // 2.5 needs one decimal more than its size says.
  const places = Math.max(0, -Math.floor(Math.log10(gap) + 1e-9));
  const scaledGap = gap * 10 ** places;
  return Math.min(12, Math.abs(scaledGap - Math.round(scaledGap)) > 1e-6 ? places + 1 : places);
}

function linearLabels(values: number[]): string[] {
  const largest = values.reduce((size, value) => Math.max(size, Math.abs(value)), 0);
  const gap = values.length > 1 ? smallestGap(values) : largest;
  if (largest >= 1e15) return values.map((value) => formatValue(value));
  if (largest > 0 && largest < 1e-3) {
    const exponent = Math.floor(Math.log10(largest) + 1e-9);
    const unit = 10 ** exponent;
    const decimals = decimalsFor(gap / unit);
    return values.map((value) => (value === 0 ? '0' : `${formatFixed(value / unit, decimals)}e${MINUS}${-exponent}`));
  }
  const [divisor, suffix] = largest >= 1e4 ? (SUFFIXES.find(([size]) => largest >= size) ?? [1, '']) : [1, ''];
  const decimals = decimalsFor(gap / divisor);
  return values.map((value) => (value === 0 ? '0' : formatFixed(value / divisor, decimals) + suffix));
}

function logLabel(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e15) return formatValue(value, 3);
  if (size > 0 && size < 1e-3) return value.toExponential(0).replaceAll('-', MINUS);
  const [divisor, suffix] = size >= 1e4 ? (SUFFIXES.find(([unit]) => size >= unit) ?? [1, '']) : [1, ''];
  return formatValue(value / divisor, 3) + suffix;
}

const DURATION_UNITS: readonly (readonly [number, string])[] = [
  [86400, 'd'],
  [3600, 'h'],
  [60, 'm'],
  [1, 's'],
];

/** 1h 30m: the largest unit and the next one when it is not zero. */
function durationLabel(seconds: number): string {
  if (seconds === 0) return '0';
  const sign = seconds < 0 ? MINUS : '';
  let rest = Math.round(Math.abs(seconds));
  const parts: string[] = [];
  for (const [size, name] of DURATION_UNITS) {
    const whole = Math.floor(rest / size);
    rest -= whole * size;
    if (whole > 0) parts.push(`${whole}${name}`);
  }
  return sign + parts.slice(0, 2).join(' ');
}

function durationLabels(values: number[]): string[] {
  if (values.length > 1 && smallestGap(values) < 1) {
    const decimals = decimalsFor(smallestGap(values));
    return values.map((value) => (value === 0 ? '0' : `${formatFixed(value, decimals)}s`));
  }
  return values.map(durationLabel);
}

const two = (value: number): string => String(value).padStart(2, '0');

function wallLabel(seconds: number, gap: number): string {
  const date = new Date(seconds * 1000);
  const midnight = date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0;
  if (midnight && date.getDate() === 1 && date.getMonth() === 0 && gap >= 86400) return String(date.getFullYear());
  if (midnight) return `${MONTHS[date.getMonth()]} ${date.getDate()}`;
  const minutes = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return gap >= 60 ? minutes : `${minutes}:${two(date.getSeconds())}`;
}

/** 5.25s: seconds of the minute, as there is no room for hours beside so many digits; 20:01 at a whole minute. */
function secondLabel(seconds: number, decimals: number): string {
  const within = (((seconds % 60) + 60) % 60).toFixed(decimals);
  if (Number(within) % 60 !== 0) return `${within}s`;
  const date = new Date(Math.round(seconds * 1000));
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

function wallLabels(values: number[]): string[] {
  const gap = values.length > 1 ? smallestGap(values) : 60;
  if (gap > 0.999) return values.map((value) => wallLabel(value, gap));
  // Today's times in seconds are exact to a quarter of a microsecond, so a gap is never quite round.
  const decimals = decimalsFor(Number(gap.toPrecision(2)));
  return values.map((value) => secondLabel(value, decimals));
}

/** Of steps only the whole ones: there is no step 0.5 to point at; small ones lose the decimals of those dropped. */
export function wholeTicks(ticks: Tick[]): Tick[] {
  const whole = ticks.filter((tick) => Number.isInteger(tick.value));
  if (whole.length === 0) return ticks;
  return whole.map((tick) => (Math.abs(tick.value) < 1e4 ? { ...tick, label: formatValue(tick.value) } : tick));
}

/** Ticks of a scale with their labels. */
export function labelledTicks(scale: Scale, count: number): Tick[] {
  const values = scale.ticks(count);
  const labels =
    scale.kind === 'wall'
      ? wallLabels(values)
      : scale.kind === 'duration'
        ? durationLabels(values)
        : scale.kind === 'linear'
          ? linearLabels(values)
          : values.map(logLabel);
  return values.map((value, i) => ({ value, label: labels[i] }));
}
