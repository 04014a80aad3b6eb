// Gives every row a colour by its id: ten hues, then other shades of them. Neither filters nor other runs change it.
import type { RunRole } from '../api/types';
import type { Dash } from '../charts/types';
import { HUES, runColour, shadeOf, SHADES, type Theme } from '../style/theme';

/** FNV-1a: small, and the same in every browser. */
export function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    state ^= text.charCodeAt(i);
    state = Math.imul(state, 0x01000193);
  }
  return state >>> 0;
}

/** How often each hue, and each shade of it, is taken. */
class Taken {
  private readonly colours = new Array<number>(HUES * SHADES).fill(0);
  /** The sums of their shades: a thousand rows ask for them many times each. */
  private readonly hues = new Array<number>(HUES).fill(0);

  add(colour: number): void {
    this.colours[colour] = (this.colours[colour] ?? 0) + 1;
    this.hues[colour % HUES] = this.ofHue(colour % HUES) + 1;
  }

  ofHue(hue: number): number {
    return this.hues[hue] ?? 0;
  }

  /** The shade of a hue that is taken least; of equal ones the first. */
  freest(hue: number): number {
    const counts = Array.from({ length: SHADES }, (_, shade) => this.colours[hue + HUES * shade] ?? 0);
    return counts.indexOf(Math.min(...counts));
  }
}

/**
 * Places in the palette by id. What is `known` keeps its place. Any other id wants the hue that its hash names; when another id
 * has it, the next free hue is taken, so that the first ten rows never share one. After those, a hue that no other row of the
 * same folder has comes first, as such rows are drawn together most often, in a shade that is free. `ids` are in order of first
 * appearance, oldest first: a new run then cannot take the colour of an old one.
 */
export function assignColours(
  ids: readonly string[],
  folderOf: (id: string) => string = () => '',
  known: ReadonlyMap<string, number> = new Map(),
): Map<string, number> {
  const colours = new Map<string, number>();
  const all = new Taken();
  const inFolders = new Map<string, Taken>();
  const take = (id: string, choose: (here: Taken) => number): void => {
    const folder = folderOf(id);
    const here = inFolders.get(folder) ?? new Taken();
    inFolders.set(folder, here);
    const colour = choose(here);
    colours.set(id, colour);
    here.add(colour);
    all.add(colour);
  };
  for (const id of ids) {
    const place = known.get(id);
    if (place !== undefined && !colours.has(id)) take(id, () => place);
  }
  for (const id of ids) {
    if (colours.has(id)) continue;
    take(id, (here) => {
      const hues = Array.from({ length: HUES }, (_, hue) => hue);
      const least = Math.min(...hues.map((hue) => here.ofHue(hue)));
      const free = hues.filter((hue) => here.ofHue(hue) === least);
      const rarest = Math.min(...free.map((hue) => all.ofHue(hue)));
      let hue = hash(id) % HUES;
      while (here.ofHue(hue) !== least || all.ofHue(hue) !== rarest) hue = (hue + 1) % HUES;
      return hue + HUES * all.freest(hue);
    });
  }
  return colours;
}

/** The same hue in another shade, for a second line of one run. */
export function shaded(colour: number, shade: number): number {
  return (colour + HUES * shade) % (HUES * SHADES);
}

/** The colour of a run's line: the user's, or that at a place in the palette; further lines of the run have other shades of it. */
export function colourOfLine(place: number, chosen: string | null, shade: number, theme: Theme): string {
  return chosen === null ? runColour(shaded(place, shade), theme) : shadeOf(chosen, shade, theme);
}

/** A dash tells what a line is of: solid for training, dashed for validation, dotted for a test. */
export function dashOfRole(role: RunRole | null): Dash {
  if (role === 'validation') return 'dashed';
  return role === 'eval' || role === 'test' ? 'dotted' : 'solid';
}
