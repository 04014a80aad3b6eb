// Gives every row a colour by its id: ten hues, then the same hues with dashes; filters never change it.
import type { RunRole } from '../api/types';
import type { Dash } from '../charts/types';

export const HUES = 10;
const DASHES: readonly Dash[] = ['solid', 'dashed', 'dotted'];

export interface Look {
  hue: number;
  dash: Dash;
}

/** FNV-1a: small, and the same in every browser. */
export function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    state ^= text.charCodeAt(i);
    state = Math.imul(state, 0x01000193);
  }
  return state >>> 0;
}

/**
 * Each id wants the place that its hash names; when an earlier id has it, the next free hue is taken, so that
 * the first ten rows never share one. After those, a hue that no other row of the same folder has comes first,
 * as such rows are drawn together most often. `ids` are in order of first appearance, oldest first: a new run
 * then cannot take the colour of an old one.
 */
export function assignLooks(ids: readonly string[], folderOf: (id: string) => string = () => ''): Map<string, Look> {
  const looks = new Map<string, Look>();
  const used = new Array<number>(HUES).fill(0);
  const inFolders = new Map<string, number[]>();
  for (const id of ids) {
    if (looks.has(id)) continue;
    const wanted = hash(id) % HUES;
    const folder = folderOf(id);
    const here = inFolders.get(folder) ?? new Array<number>(HUES).fill(0);
    inFolders.set(folder, here);
    const least = Math.min(...here);
    const free = [...here.keys()].filter((hue) => here[hue] === least);
    const rarest = Math.min(...free.map((hue) => used[hue] ?? 0));
    let hue = wanted;
    while (here[hue] !== least || used[hue] !== rarest) hue = (hue + 1) % HUES;
    here[hue] = (here[hue] ?? 0) + 1;
    const round = used[hue] ?? 0;
    used[hue] = round + 1;
    looks.set(id, { hue, dash: DASHES[round % DASHES.length] ?? 'solid' });
  }
  return looks;
}

/** Inside one experiment the line style tells the folders apart: train is drawn as the row's own line. */
export function dashOfRole(role: RunRole | null, own: Dash): Dash {
  if (role === 'train') return 'solid';
  if (role === 'validation') return 'dashed';
  if (role === 'eval' || role === 'test') return 'dotted';
  return own;
}
