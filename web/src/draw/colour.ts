// Colours as numbers: mixing two of them, how bright they are, and a ramp of many between.
import { packColour } from './raster';

function channels(hex: string): [number, number, number] {
  const value = parseInt(hex.slice(1, 7), 16) || 0;
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** `share` of the second colour in the first, as #rrggbb. */
export function mix(first: string, second: string, share: number): string {
  const [a, b] = [channels(first), channels(second)];
  const mixed = a.map((part, i) => Math.round(part + ((b[i] ?? 0) - part) * share));
  return `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** How bright a colour looks, from 0 to 1. */
export function brightness(hex: string): number {
  const [red, green, blue] = channels(hex).map((part) => (part / 255) ** 2.2);
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

/** A colour this much brighter or darker than the middle of a ramp has no part in it. */
const FAR = 0.25;

/**
 * From almost `ground` to almost `end`, through `colour` as far as that is between the two in brightness: else the shades of a very dark or
 * very bright colour could not be told apart.
 */
export function shadesOfColour(ground: string, colour: string, end: string): [string, string, string] {
  const [first, last] = [mix(ground, colour, 0.14), mix(colour, end, 0.6)];
  const middle = mix(first, last, 0.5);
  const share = Math.max(0, 1 - Math.abs(brightness(colour) - brightness(middle)) / FAR);
  return [first, mix(middle, colour, share), last];
}

/** `size` packed colours from `from` over `through` to `to`. */
export function ramp(from: string, through: string, to: string, size: number): Uint32Array {
  return Uint32Array.from({ length: size }, (_, i) => {
    const share = size === 1 ? 1 : i / (size - 1);
    return packColour(share < 0.5 ? mix(from, through, share * 2) : mix(through, to, share * 2 - 1));
  });
}
