// Numbers as people read them: few digits, right units, a real minus and thin thousands separators.

/** U+202F: a thin space that never breaks a line. */
const THIN = '\u202f';
const MINUS = '\u2212';
/** Stands for "there is no value". */
export const NONE = '\u2013';

const notFinite = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : `${MINUS}∞`);

const realMinus = (text: string): string => text.replaceAll('-', MINUS);

function groupThousands(digits: string): string {
  const [whole, fraction] = digits.split('.');
  // Four digits read well as they are; groups start at five.
  const grouped = whole.replace('-', '').length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, THIN) : whole;
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const trimZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/** 1.234e−5 from a number, with at most `digits` significant digits. */
function exponential(value: number, digits: number): string {
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
  return realMinus(`${trimZeros(mantissa)}e${Number(exponent)}`);
}

/** A measured value of unknown unit: 0.1235, 12 350, 1.235e−6. */
export function formatValue(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return notFinite(value);
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  if (size >= 1e6 || size < 1e-4) return exponential(value, digits);
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return realMinus(groupThousands(trimZeros(rounded.toFixed(Math.min(decimals, 20)))));
}

/** Values of one column with the same number of decimals, so that they can be compared; apart when sizes differ much. */
export function formatTogether(values: readonly number[], digits = 4): string[] {
  const sizes = values.filter((value) => Number.isFinite(value) && value !== 0).map(Math.abs);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  if (sizes.length === 0 || most >= 1e5 || least < most / 100 || most < 1e-3)
    return values.map((v) => formatValue(v, digits));
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(most)));
  return values.map((v) => (Number.isFinite(v) ? realMinus(groupThousands(v.toFixed(decimals))) : notFinite(v)));
}

/** With as many decimals as its neighbours have: 0.50. */
export function formatFixed(value: number, decimals: number): string {
  const text = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

/** A number without the digits that nobody chose, for addresses and fields: 0.6, not 0.6000000000000001. */
export const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));

export const roundedTo = (value: number, digits: number): number => Number(value.toPrecision(digits));

/** As formatValue with a sign in front, for differences. */
export function formatChange(value: number, digits = 4): string {
  const text = formatValue(value, digits);
  return value > 0 ? `+${text}` : text;
}

/** A whole number in full: 2 314 880. */
export function formatCount(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  return realMinus(groupThousands(Math.round(value).toFixed(0)));
}

/** A fraction of one as a percentage: 33%, 4.2%. */
export function formatShare(fraction: number): string {
  if (!Number.isFinite(fraction)) return notFinite(fraction);
  const percent = fraction * 100;
  const decimals = Math.abs(percent) >= 9.95 || percent === 0 ? 0 : 1;
  return `${realMinus(trimZeros(percent.toFixed(decimals)))}%`;
}

function scaled(value: number, step: number, units: readonly string[], digits: number): string {
  let rest = value;
  let unit = 0;
  // Compare after rounding, so that 1023.99 KiB becomes 1 MiB and not 1024 KiB.
  while (unit < units.length - 1 && Math.round(Math.abs(rest)) >= step) {
    rest /= step;
    unit += 1;
  }
  // 1000 to 1023 KiB need a fourth digit.
  const text = formatValue(rest, Math.abs(rest) >= 999.5 ? 4 : digits);
  return units[unit] === '' ? text : `${text}${THIN}${units[unit]}`;
}

/** With SI prefixes: 48.2 k, 12.3 TFLOP/s. */
export function formatSI(value: number, unit = '', digits = 3): string {
  if (!Number.isFinite(value)) return notFinite(value);
  return scaled(
    value,
    1000,
    ['', 'k', 'M', 'G', 'T', 'P', 'E'].map((prefix) => prefix + unit),
    digits,
  );
}

/** Bytes with binary units: 512 B, 1.5 KiB, 3.2 GiB. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes)) return notFinite(bytes);
  return scaled(bytes, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'], 3);
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function pair(seconds: number, big: number, bigName: string, small: number, smallName: string): string {
  let whole = Math.floor(seconds / big);
  let rest = Math.round((seconds - whole * big) / small);
  if (rest * small >= big) {
    whole += 1;
    rest = 0;
  }
  const first = `${groupThousands(String(whole))}${THIN}${bigName}`;
  return rest === 0 ? first : `${first} ${rest}${THIN}${smallName}`;
}

/** How long something took: 12.3 µs, 45.6 ms, 1.23 s, 2 min 5 s, 1 h 12 min, 3 d 4 h. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return notFinite(seconds);
  if (seconds < 0) return MINUS + formatDuration(-seconds);
  if (seconds === 0) return `0${THIN}s`;
  const rounded = Number(seconds.toPrecision(3));
  if (rounded < 1e-6) return `${formatValue(seconds * 1e9, 3)}${THIN}ns`;
  if (rounded < 1e-3) return `${formatValue(seconds * 1e6, 3)}${THIN}µs`;
  if (rounded < 1) return `${formatValue(seconds * 1e3, 3)}${THIN}ms`;
  if (rounded < MINUTE) return `${formatValue(seconds, 3)}${THIN}s`;
  if (Math.round(seconds) < HOUR) return pair(seconds, MINUTE, 'min', 1, 's');
  if (Math.round(seconds / MINUTE) * MINUTE < DAY) return pair(seconds, HOUR, 'h', MINUTE, 'min');
  return pair(seconds, DAY, 'd', HOUR, 'h');
}

/** How long ago a wall time was, in one unit: 5 s ago, 3 min ago, 2 d ago. Both times in seconds. */
export function formatAgo(wall: number, now: number): string {
  const age = now - wall;
  if (!Number.isFinite(age)) return NONE;
  if (age < -MINUTE) return 'in the future';
  if (age < 1) return 'now';
  if (age < MINUTE) return `${Math.floor(age)}${THIN}s ago`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)}${THIN}min ago`;
  if (age < 2 * DAY) return `${Math.floor(age / HOUR)}${THIN}h ago`;
  return `${groupThousands(String(Math.floor(age / DAY)))}${THIN}d ago`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** A wall time in the reader's own time zone: 2026-11-15 22:09:38. */
export function formatTime(wall: number): string {
  const date = new Date(wall * 1000);
  if (Number.isNaN(date.getTime())) return NONE;
  return `${formatDay(wall)} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The day of a wall time in the reader's own time zone: 2026-11-15. */
export function formatDay(wall: number): string {
  const date = new Date(wall * 1000);
  if (Number.isNaN(date.getTime())) return NONE;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Shortens a name in the middle, where paths differ least, to at most `length` characters. */
export function shortenMiddle(name: string, length: number): string {
  const letters = Array.from(name);
  if (letters.length <= length) return name;
  const kept = Math.max(1, length - 1);
  const tail = Math.ceil(kept / 2);
  return `${letters.slice(0, kept - tail).join('')}…${letters.slice(letters.length - tail).join('')}`;
}
