// Arranges cards as lines of the page: a heading for the first part of tags, then a card for each tag and run.
import type { Pattern } from '$web/patterns/pattern';

export interface CardPlace {
  key: string;
  run: string;
  tag: string;
}

export type HistogramLine =
  | { kind: 'heading'; key: string; name: string; cards: number; height: number }
  | { kind: 'cards'; key: string; cards: CardPlace[]; columns: number; height: number };

export interface Arrangement {
  pattern: Pattern | null;
  /** Shown runs in their order. */
  runs: readonly string[];
  has: (run: string, tag: string) => boolean;
  isWide: (run: string, tag: string) => boolean;
}

export interface LineSizes {
  heading: number;
  /** A card's height, with the gap below it. */
  card: number;
  wideCard: number;
  columns: number;
}

/** Tags without a "/" are together. */
export function sectionOf(tag: string): string {
  const cut = tag.indexOf('/');
  return cut <= 0 ? 'General' : tag.slice(0, cut);
}

/** Wide cards have a line to themselves, where they stand. */
function cardLines(places: readonly CardPlace[], how: Arrangement, sizes: LineSizes): HistogramLine[] {
  const lines: HistogramLine[] = [];
  let line: CardPlace[] = [];
  const flush = (columns: number, height: number): void => {
    const [first] = line;
    if (first !== undefined) lines.push({ kind: 'cards', key: `cards ${first.key}`, cards: line, columns, height });
    line = [];
  };
  for (const place of places) {
    if (how.isWide(place.run, place.tag)) {
      flush(sizes.columns, sizes.card);
      line = [place];
      flush(1, sizes.wideCard);
      continue;
    }
    line.push(place);
    if (line.length === sizes.columns) flush(sizes.columns, sizes.card);
  }
  flush(sizes.columns, sizes.card);
  return lines;
}

/** The runs of a tag stand together; sections stand where their first tag does. */
export function layOutCards(tags: readonly string[], how: Arrangement, sizes: LineSizes): HistogramLine[] {
  const sections = new Map<string, CardPlace[]>();
  for (const tag of tags) {
    if (how.pattern !== null && !how.pattern.test(tag)) continue;
    const places = how.runs.filter((run) => how.has(run, tag)).map((run) => ({ key: `${run} ${tag}`, run, tag }));
    if (places.length === 0) continue;
    const name = sectionOf(tag);
    const section = sections.get(name);
    if (section === undefined) sections.set(name, places);
    else section.push(...places);
  }
  return [...sections].flatMap(([name, places]): HistogramLine[] => [
    { kind: 'heading', key: `heading ${name}`, name, cards: places.length, height: sizes.heading },
    ...cardLines(places, how, sizes),
  ]);
}
