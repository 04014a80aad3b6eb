// Colours of rows by the value of a setting: a ramp for numbers, linear or logarithmic, and a colour for each of other values.
import { mix } from '../draw/colour';
import type { ColourScale } from '../state/view';
import { inks, runColour, type Theme } from '../style/theme';
import { assignColours } from './colours';
import { triedByFactors } from './factors';
import { compareValues, plainValue } from './fields';

/** Few numbers are easier told apart by a ramp too, but two are as good as words. */
const LEAST_RAMP = 3;
const STEPS = 32;

/** From blue to orange, which colour-blind people can tell apart. */
export function rampOf(theme: Theme): string[] {
  return Array.from({ length: STEPS }, (_, i) => mix(runColour(0, theme), runColour(1, theme), i / (STEPS - 1)));
}

export interface ColouredValue {
  /** Null stands for rows without the setting. */
  value: string | null;
  colour: string;
  rows: number;
}

export interface ValueColours {
  /** The ends of the ramp; null where every value has a colour of its own. */
  ramp: { low: number; high: number; log: boolean; canLog: boolean; colours: readonly string[] } | null;
  /** In order of the values; last, how many rows have none. */
  values: readonly ColouredValue[];
  colourOf: (value: string | undefined) => string;
}

/** `values` has one for each row, undefined where a row has none. Neither order nor number of rows changes a colour of a ramp. */
export function valueColours(
  name: string,
  values: readonly (string | undefined)[],
  scale: ColourScale,
  theme: Theme,
): ValueColours {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  const names = [...counts.keys()].sort(compareValues);
  const none = inks[theme].cursor;
  const missing = values.filter((value) => value === undefined).length;
  const listed = (colourOf: (value: string) => string): ColouredValue[] => [
    ...names.map((value) => ({ value, colour: colourOf(value), rows: counts.get(value) ?? 0 })),
    ...(missing === 0 ? [] : [{ value: null, colour: none, rows: missing }]),
  ];
  const numbers = new Map(names.map((value) => [value, plainValue(value)]));
  const finite = [...numbers.values()].filter((value) => typeof value === 'number').filter(Number.isFinite);
  if (finite.length < names.length || new Set(finite).size < LEAST_RAMP) {
    const places = assignColours(names);
    const colourOf = (value: string): string => runColour(places.get(value) ?? 0, theme);
    return {
      ramp: null,
      values: listed(colourOf),
      colourOf: (value) => (value === undefined ? none : colourOf(value)),
    };
  }
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const canLog = low > 0;
  const log = canLog && (scale === 'auto' ? triedByFactors(name, low, high) : scale === 'log');
  const place = (value: number): number =>
    log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  const colours = rampOf(theme);
  const colourOf = (value: string): string => {
    const number = numbers.get(value);
    return typeof number === 'number' ? (colours[Math.round(place(number) * (STEPS - 1))] ?? none) : none;
  };
  return {
    ramp: { low, high, log, canLog, colours },
    values: listed(colourOf),
    colourOf: (value) => (value === undefined ? none : colourOf(value)),
  };
}
