// Colours as numbers: mixing two of them, and a ramp of many between.
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

/** `size` packed colours from `from` over `through` to `to`. */
export function ramp(from: string, through: string, to: string, size: number): Uint32Array {
  return Uint32Array.from({ length: size }, (_, i) => {
    const share = size === 1 ? 1 : i / (size - 1);
    return packColour(share < 0.5 ? mix(from, through, share * 2) : mix(through, to, share * 2 - 1));
  });
}
