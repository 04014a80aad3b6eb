// Finds what run names share, so that the list can grey it and labels can leave it out.

const BREAK = /[/_\-, ]/;

/** Length of the start that all names share, cut back to a word's end so that no word is torn. */
export function sharedPrefix(names: readonly string[]): number {
  if (names.length < 2) return 0;
  const first = names[0] ?? '';
  let length = first.length;
  for (const name of names) {
    let same = 0;
    while (same < length && name.charCodeAt(same) === first.charCodeAt(same)) same++;
    length = same;
  }
  while (length > 0 && !BREAK.test(first.charAt(length - 1))) length--;
  return length;
}

/** For each name the length of the start that it shares with the one above it, from `prefix` on: the eye need not read it again. */
export function sharedWithAbove(names: readonly string[], prefix: number): number[] {
  return names.map((name, i) => (i === 0 ? prefix : Math.max(prefix, sharedPrefix([names[i - 1] ?? '', name]))));
}

/** Words with the break behind them; a key such as "seed=" may be a word of its own. */
const WORDS = /[^/_\-, ]*[/_\-, ]|[^/_\-, ]+$/g;
const WORDS_AND_KEYS = /[^/_\-, =]*[/_\-, =]|[^/_\-, =]+$/g;

function wordsOf(name: string, pattern = WORDS): string[] {
  return name.match(pattern) ?? [name];
}

function placesShared([first, ...others]: readonly string[][]): ReadonlySet<number> {
  if (first === undefined || others.length === 0 || others.some((words) => words.length !== first.length))
    return new Set();
  const places = [...first.keys()];
  return new Set(places.filter((place) => others.every((words) => words[place] === first[place])));
}

/** Places of the words and keys that all names have in common; none when they have different numbers of them. */
export function sharedWords(names: readonly string[]): ReadonlySet<number> {
  return placesShared(names.map((name) => wordsOf(name, WORDS_AND_KEYS)));
}

/** Names without the words that all share at the start and at the end, and with "…" for those between. */
export function withoutSharedWords(names: readonly string[]): string[] {
  if (new Set(names).size < 2) return [...names];
  const all = names.map((name) => wordsOf(name));
  const shared = placesShared(all);
  const least = Math.min(...all.map((words) => words.length));
  const same = (from: (words: string[], i: number) => string | undefined): number => {
    let count = 0;
    while (count < least - 1 && all.every((words) => from(words, count) === from(all[0] ?? [], count))) count++;
    return count;
  };
  const start = same((words, i) => words[i]);
  const end = same((words, i) => words[words.length - 1 - i]);
  return all.map((words) => {
    const stop = Math.max(start + 1, words.length - end);
    const kept = words.slice(start, stop).map((word, i) => (shared.has(start + i) ? '…' : word));
    return kept
      .join('')
      .replace(/…+/g, '…')
      .replace(/[/_\-, ]$/, '');
  });
}

/** A part of a name that shrinks before the others when there is no room. */
export interface NamePart {
  text: string;
  shared: boolean;
}

/** Shorter ones are not worth an ellipsis. */
const LEAST_SHARED = 4;

/** The name after its first `greyed` characters, cut where words that all names share meet those that differ. */
export function cutAtShared(name: string, greyed: number, shared: ReadonlySet<number>): NamePart[] {
  const parts: NamePart[] = [];
  let at = 0;
  wordsOf(name, WORDS_AND_KEYS).forEach((word, place) => {
    at += word.length;
    if (at <= greyed) return;
    const own = { text: word, shared: shared.has(place) };
    const last = parts[parts.length - 1];
    if (last?.shared === own.shared) last.text += word;
    else parts.push(own);
  });
  return parts.map((part) => ({ ...part, shared: part.shared && part.text.length >= LEAST_SHARED }));
}

/** Cuts a name for two boxes: the first may shrink with an ellipsis, the end, from a word's start if one is near, stays. */
export function cutForMiddle(name: string, keep = 12): [string, string] {
  if (name.length <= keep + 4) return ['', name];
  const about = name.length - keep;
  /** The nearest place after such a character, or -1 when none is within `reach`. */
  const startNear = (isBreak: (character: string) => boolean, reach: number): number => {
    for (let away = 0; away <= reach; away++) {
      for (const place of [about + away, about - away]) if (place > 0 && isBreak(name.charAt(place - 1))) return place;
    }
    return -1;
  };
  const folder = startNear((character) => character === '/', 6);
  const word = folder > 0 ? folder : startNear((character) => BREAK.test(character), 4);
  if (word > 0) return [name.slice(0, word), name.slice(word)];
  return [name.slice(0, about), name.slice(about)];
}

const folderOf = (name: string): string => name.slice(0, name.lastIndexOf('/') + 1);

/**
 * Folders whose names differ more at their start than at their end, as `lr0.1-resnet` and `lr0.2-resnet` do: without room the
 * end is left out, and not what tells them apart.
 */
export function foldersToldByStart(names: readonly string[], keep: number): ReadonlySet<string> {
  const folders = new Map<string, { heads: Set<string>; tails: Set<string> }>();
  for (const name of names) {
    const folder = folderOf(name);
    const seen = folders.get(folder) ?? { heads: new Set(), tails: new Set() };
    const [head, tail] = cutForMiddle(name.slice(folder.length), keep);
    folders.set(folder, { heads: seen.heads.add(head), tails: seen.tails.add(tail) });
  }
  return new Set([...folders].filter(([, { heads, tails }]) => heads.size > tails.size).map(([folder]) => folder));
}

export function isToldByStart(name: string, folders: ReadonlySet<string>): boolean {
  return folders.has(folderOf(name));
}

/** What is left of a name without the folders that all share. */
export function withoutSharedFolders(name: string, shared: number): string {
  return name.slice(name.slice(0, shared).lastIndexOf('/') + 1);
}

/** Breaks of a line, and characters that turn the writing direction or have no width. */
const BREAKS = /[\p{Cc}\u2028\u2029]/gu;
const UNSEEN = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** A name on one line, with a mark for each character that would hide or reorder others; as long as the name itself. */
export function visibleName(name: string): string {
  return name.replace(BREAKS, ' ').replace(UNSEEN, '\ufffd');
}

const NUMBER = /(\d+(?:\.\d+)?(?:e[-+]?\d+)?)/i;
const words = new Intl.Collator('en', { sensitivity: 'base' });
const MOST_KEPT = 50_000;
const kept = new Map<string, string[]>();

/** Words at even places, numbers between them. */
function wordsAndNumbers(name: string): string[] {
  let parts = kept.get(name);
  if (parts === undefined) {
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(name, (parts = name.split(NUMBER)));
  }
  return parts;
}

/** layer2 comes before layer10, and lr0.01 or lr1e-2 before lr0.1. */
export function compareNames(a: string, b: string): number {
  const [left, right] = [wordsAndNumbers(a), wordsAndNumbers(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [one, other] = [left[i] ?? '', right[i] ?? ''];
    const order = i % 2 === 0 ? words.compare(one, other) : Math.sign(Number(one) - Number(other)) || 0;
    if (order !== 0) return order;
  }
  return left.length - right.length || (a < b ? -1 : a > b ? 1 : 0);
}
