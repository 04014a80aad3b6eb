// Ranks what the palette finds: names that begin with the words come first, short ones before long ones.

export interface Entry {
  kind: 'tag' | 'run' | 'profile' | 'command';
  id: string;
  name: string;
  hint?: string;
  /** Another name it is found by: the folder of a run that was given a name. */
  also?: string;
}

function rank(name: string, words: readonly string[]): number {
  const lower = name.toLowerCase();
  let mark = 0;
  for (const word of words) {
    const place = lower.indexOf(word);
    if (place < 0) return -1;
    const startsWord = place === 0 || /[/_\-. ]/.test(lower.charAt(place - 1));
    mark += place === 0 ? 3 : startsWord ? 2 : 1;
  }
  return mark;
}

export function search(entries: readonly Entry[], text: string, most: number): Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return shared(entries, most);
  return entries
    .map((entry) => ({ entry, mark: Math.max(rank(entry.name, words), rank(entry.also ?? '', words)) }))
    .filter(({ mark }) => mark >= 0)
    .sort((a, b) => b.mark - a.mark || a.entry.name.length - b.entry.name.length)
    .slice(0, most)
    .map(({ entry }) => entry);
}

/** Before anything is typed: some of each kind. */
function shared(entries: readonly Entry[], most: number): Entry[] {
  const each = Math.floor(most / 4);
  const of = (kind: Entry['kind'], count: number): Entry[] =>
    entries.filter((one) => one.kind === kind).slice(0, count);
  return [...of('tag', each), ...of('run', each), ...of('command', 2 * each)];
}
