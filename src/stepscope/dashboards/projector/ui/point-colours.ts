// The colour of each point: by the classes or numbers of a column, with what does not match the search faded.
import { ramp } from '$web/draw/colour';
import { runColours, type Theme } from '$web/style/theme';
import type { Column } from './answers';

/** Classes that have a colour of their own; those of the rest share one. */
export const MOST_COLOURS = 40;
const RAMP = 256;
const FADED = 0.16;
const OTHERS: Record<Theme, string> = { light: '#9aa1ab', dark: '#767d88' };
const GROUND: Record<Theme, string> = { light: '#ffffff', dark: '#191c21' };
const ENDS: Record<Theme, [string, string, string]> = {
  light: ['#2d336c', '#0b8a67', '#e0a100'],
  dark: ['#5b5fc7', '#39db98', '#fde36b'],
};

/** As ImageData has it: red in the lowest byte. */
export function packed(hex: string): number {
  const value = parseInt(hex.slice(1, 7), 16);
  return (0xff000000 | ((value & 255) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

export interface LegendRow {
  text: string;
  colour: string;
  points: number;
}

export interface Colouring {
  colours: Uint32Array;
  legend: LegendRow[];
  /** Of a column of numbers: its ends and the colours between. */
  scale: { low: number; high: number; colours: readonly string[] } | null;
}

export function isScale(column: Column | null): boolean {
  return column !== null && column.numbers !== null && (column.kind === 'texts' || column.classes.length > 12);
}

export function colouring(count: number, column: Column | null, theme: Theme, accent: string): Colouring {
  if (column === null) return { colours: new Uint32Array(count).fill(packed(accent)), legend: [], scale: null };
  if (isScale(column) && column.numbers !== null) return byNumber(column.numbers, theme);
  if (column.kind === 'texts') return { colours: new Uint32Array(count).fill(packed(accent)), legend: [], scale: null };
  const palette = runColours[theme];
  const shown = column.classes.map((_, place) =>
    place < MOST_COLOURS ? (palette[place % palette.length] ?? accent) : OTHERS[theme],
  );
  const numbers = shown.map(packed);
  const sizes = new Array<number>(column.classes.length).fill(0);
  const colours = new Uint32Array(count);
  for (let point = 0; point < count; point++) {
    const code = column.codes[point] as number;
    colours[point] = numbers[code] as number;
    sizes[code] = (sizes[code] as number) + 1;
  }
  const legend = column.classes.map((text, place) => ({
    text,
    colour: shown[place] ?? accent,
    points: sizes[place] ?? 0,
  }));
  return { colours, legend, scale: null };
}

function byNumber(numbers: Float64Array, theme: Theme): Colouring {
  let [low, high] = [Infinity, -Infinity];
  for (const value of numbers) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const steps = ramp(...ENDS[theme], RAMP);
  const none = packed(OTHERS[theme]);
  const colours = Uint32Array.from(numbers, (value) => {
    if (Number.isNaN(value)) return none;
    const share = high > low ? (value - low) / (high - low) : 0.5;
    return steps[Math.min(RAMP - 1, Math.floor(share * RAMP))] as number;
  });
  return { colours, legend: [], scale: { low, high, colours: ENDS[theme] } };
}

/** The colours with every point that is not marked mixed into the ground; the same colours when nothing is marked. */
export function faded(colours: Uint32Array, marked: ReadonlySet<number> | null, theme: Theme): Uint32Array {
  if (marked === null) return colours;
  const ground = packed(GROUND[theme]);
  return colours.map((colour, point) => (marked.has(point) ? colour : mixed(colour, ground, FADED)));
}

function mixed(colour: number, ground: number, share: number): number {
  const part = (shift: number): number =>
    Math.round(((colour >>> shift) & 255) * share + ((ground >>> shift) & 255) * (1 - share)) << shift;
  return (0xff000000 | part(16) | part(8) | part(0)) >>> 0;
}
