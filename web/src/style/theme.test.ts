// Colours are readable on both themes, stay apart for colour-blind people, and agree with the style sheet.
import { describe, expect, it } from 'vitest';
import { HUES, inks, runColour, runColours, shadeOf, SHADES, timeColours, type Theme } from './theme';
import css from './tokens.css?raw';

type Triple = [number, number, number];
const themes: Theme[] = ['light', 'dark'];

function linear(hex: string): Triple {
  const channel = (at: number): number => {
    const v = parseInt(hex.slice(at, at + 2), 16) / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, v, i) => sum + v * b[i], 0);
const luminance = (hex: string): number => dot(linear(hex), [0.2126, 0.7152, 0.0722]);
function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

// Machado, Oliveira and Fernandes 2009, full severity, in linear RGB.
const visions: Record<string, Triple[]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
};
function oklab(rgb: Triple): Triple {
  const cone = (weights: Triple): number =>
    Math.cbrt(
      dot(
        rgb.map((v) => Math.min(1, Math.max(0, v))),
        weights,
      ),
    );
  const lms = [
    cone([0.4122214708, 0.5363325363, 0.0514459929]),
    cone([0.2119034982, 0.6806995451, 0.1073969566]),
    cone([0.0883024619, 0.2817188376, 0.6299787005]),
  ];
  return [
    dot(lms, [0.2104542553, 0.793617785, -0.0040720468]),
    dot(lms, [1.9779984951, -2.428592205, 0.4505937099]),
    dot(lms, [0.0259040371, 0.7827717662, -0.808675766]),
  ];
}
function closest(colours: readonly string[], vision: string): number {
  const seen = colours.map((hex) => oklab(visions[vision].map((row) => dot(row, linear(hex))) as Triple));
  let least = Infinity;
  for (let i = 0; i < seen.length; i += 1)
    for (let j = 0; j < i; j += 1) least = Math.min(least, Math.hypot(...seen[i].map((v, k) => v - seen[j][k])));
  return least;
}

describe.each(themes)('%s theme', (theme) => {
  const { panel } = inks[theme];
  it('has ten run colours in four shades at 3:1 or more', () => {
    expect(runColours[theme]).toHaveLength(HUES * SHADES);
    for (const colour of runColours[theme]) expect(contrast(colour, panel), colour).toBeGreaterThanOrEqual(3);
  });
  it.each(Object.keys(visions))('keeps runs apart with %s', (vision) => {
    // 0.02 is about one just-noticeable difference between large patches; thin lines need several.
    expect(closest(runColours[theme].slice(0, HUES), vision)).toBeGreaterThanOrEqual(0.07);
  });
  it('keeps all shades apart', () => {
    expect(closest(runColours[theme], 'normal')).toBeGreaterThanOrEqual(0.045);
  });
  it('has six time colours at 3:1 or more, apart for everyone', () => {
    const colours = Object.values(timeColours[theme]);
    for (const colour of colours) expect(contrast(colour, panel), colour).toBeGreaterThanOrEqual(3);
    for (const vision of Object.keys(visions)) expect(closest(colours, vision), vision).toBeGreaterThanOrEqual(0.06);
  });
  it('has words at 4.5:1 or more', () => {
    const { text, textSoft, axis, amber, red } = inks[theme];
    for (const colour of [text, textSoft, axis, amber, red])
      expect(contrast(colour, panel), colour).toBeGreaterThanOrEqual(4.5);
  });
});

describe('tokens.css', () => {
  const token = (name: string): string[] => {
    const found = new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\);`).exec(css);
    if (!found) throw new Error(`tokens.css has no --${name}`);
    return [found[1], found[2]];
  };
  it('has the run colours of theme.ts', () => {
    for (let i = 0; i < 10; i += 1) expect(token(`run-${i}`)).toEqual([runColours.light[i], runColours.dark[i]]);
  });
  it('has the time colours of theme.ts', () => {
    for (const name of Object.keys(timeColours.light) as (keyof typeof timeColours.light)[])
      expect(token(`time-${name.replace('_', '-')}`)).toEqual([timeColours.light[name], timeColours.dark[name]]);
  });
  it('has the inks of theme.ts', () => {
    for (const name of Object.keys(inks.light) as (keyof typeof inks.light)[])
      expect(token(name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`))).toEqual([inks.light[name], inks.dark[name]]);
  });
  it('has words readable on the page, on panels and on hovered rows', () => {
    for (const word of ['text', 'text-soft', 'text-faint', 'accent', 'amber', 'red'])
      for (const ground of ['page', 'panel', 'raised', 'hover'])
        [0, 1].forEach((i) =>
          expect(contrast(token(word)[i], token(ground)[i]), `${word} on ${ground}`).toBeGreaterThanOrEqual(4.3),
        );
  });
});

describe('runColour', () => {
  it('repeats the colours beyond forty', () => {
    expect(runColour(43, 'dark')).toBe(runColours.dark[3]);
    expect(runColour(-1, 'light')).toBe(runColours.light[39]);
  });
  it('shades a colour that the user chose', () => {
    expect([0, 1, 3].map((shade) => shadeOf('#ff8000', shade, 'light'))).toEqual(['#ff8000', '#c26407', '#472b14']);
    expect(shadeOf('#ff8000', 9, 'dark')).toBe(shadeOf('#ff8000', SHADES - 1, 'dark'));
  });
});
