// Writes numbers, sizes and times the way people read them.

const MINUS = '\u2212';
export const NONE = '–';

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

function withMinus(text: string): string {
  return text.replace('-', MINUS);
}

/** 2314880 → "2,314,880". */
export function count(value: number): string {
  return withMinus(whole.format(value));
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Four significant digits; powers of ten only where zeros would have to be counted. */
export function value(number: number | null | undefined): string {
  if (number === null || number === undefined) return NONE;
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return number > 0 ? '+Inf' : `${MINUS}Inf`;
  if (number === 0) return '0';
  const size = Math.abs(number);
  if (size < 1e-4 || size >= 1e7)
    return withMinus(
      number
        .toExponential(3)
        .replace(/\.?0+e/, 'e')
        .replace('e+', 'e'),
    );
  if (size >= 10_000) return count(Math.round(number));
  const digits = Math.max(0, 3 - Math.floor(Math.log10(size)));
  const text = number.toFixed(Math.min(digits, 8));
  return withMinus(text.includes('.') ? text.replace(/\.?0+$/, '') : text);
}

/** A difference always carries its sign. */
export function difference(number: number | null): string {
  if (number === null || Number.isNaN(number)) return NONE;
  return number > 0 ? `+${value(number)}` : value(number);
}

export function percent(fraction: number | null): string {
  if (fraction === null || !Number.isFinite(fraction)) return NONE;
  return `${difference(Number((fraction * 100).toPrecision(3)))} %`;
}

export function bytes(size: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let scaled = size;
  while (scaled >= 1024 && unit < units.length - 1) {
    scaled /= 1024;
    unit++;
  }
  return `${unit === 0 ? count(scaled) : scaled.toPrecision(scaled >= 100 ? 4 : 3).replace(/\.$/, '')} ${units[unit]}`;
}

/** 8 s, 4 min, 3 h, 12 d: one unit, as an age is read at a glance. */
export function age(seconds: number): string {
  const size = Math.max(0, seconds);
  if (size < 60) return `${Math.floor(size)} s`;
  if (size < 3600) return `${Math.floor(size / 60)} min`;
  if (size < 48 * 3600) return `${Math.floor(size / 3600)} h`;
  return `${count(Math.floor(size / 86400))} d`;
}

/** Two units, for durations that are compared: 1 h 20 min. */
export function duration(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return NONE;
  const size = Math.max(0, seconds);
  if (size < 1) return `${value(Number((size * 1000).toPrecision(3)))} ms`;
  if (size < 60) return `${value(Number(size.toPrecision(3)))} s`;
  const parts: [number, string][] = [
    [Math.floor(size / 86400), 'd'],
    [Math.floor(size / 3600) % 24, 'h'],
    [Math.floor(size / 60) % 60, 'min'],
    [Math.floor(size) % 60, 's'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}

/** Local date and time, for the hover of a relative time. */
export function moment(wall: number | null): string {
  if (wall === null || !Number.isFinite(wall)) return NONE;
  const date = new Date(wall * 1000);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
