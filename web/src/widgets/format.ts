// Words around numbers: counts with their noun, ages, and "–" where there is no value.
import {
  formatBytes,
  formatChange,
  formatCount,
  formatDuration,
  formatFixed,
  formatTime,
  formatValue,
  NONE as NO_VALUE,
} from '../draw/number';

export const NONE = NO_VALUE;
export const count = formatCount;
export const bytes = formatBytes;

const THIN = '\u202f';

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A stable word of an answer as people write it: `constant_folded` is "Constant folded". */
export function asWords(stable: string): string {
  const words = stable.replaceAll('_', ' ').replace(/\bcuda\b/, 'CUDA');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function value(number: number | null | undefined): string {
  return number === null || number === undefined ? NONE : formatValue(number);
}

/** A difference always carries its sign. */
export function difference(number: number | null): string {
  return number === null || Number.isNaN(number) ? NONE : formatChange(number);
}

export function percent(fraction: number | null): string {
  if (fraction === null || !Number.isFinite(fraction)) return NONE;
  return `${formatChange(fraction * 100, 3)}%`;
}

/** 8 s, 4 min, 3 h, 12 d, 2.5 y: one unit, as an age is read at a glance. */
export function age(seconds: number): string {
  const size = Math.max(0, seconds);
  if (size < 60) return `${Math.floor(size)}${THIN}s`;
  if (size < 3600) return `${Math.floor(size / 60)}${THIN}min`;
  if (size < 48 * 3600) return `${Math.floor(size / 3600)}${THIN}h`;
  const days = Math.floor(size / 86400);
  return days < 730 ? `${count(days)}${THIN}d` : `${formatFixed(days / 365.25, 1)}${THIN}y`;
}

export function duration(seconds: number | null): string {
  return seconds === null ? NONE : formatDuration(seconds);
}

/** Local date and time, for the hover of a relative time. */
export function moment(wall: number | null): string {
  return wall === null ? NONE : formatTime(wall);
}
