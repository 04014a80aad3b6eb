// Arranges tags as cards in sections, and sections as lines of the page.
import { cardIdOf } from '$web/cards/card-ids';
import type { Facet } from '$web/runs/facets';
import { writePanel } from '$web/state/address';
import type { Panel } from '$web/state/view';
import { columnsFor } from '$web/widgets/window';
import type { Pattern } from '$web/patterns/pattern';

export interface CardSpec {
  /** The first tag, which names the card; of a card that shows no scalars what cardIdOf makes of it. */
  id: string;
  tags: readonly string[];
  /** What one run logged under the tag, when that is no scalars. */
  summary?: { kind: string; run: string; tag: string };
  /** What the user added, when the card is no tag's. */
  panel?: Panel;
  /** The runs that it shows, when the tag has a small chart for each value of a setting; its looks belong to all of them. */
  facet?: Facet;
}

/** Names the card among all on the page. */
export function slotOf({ id, facet }: CardSpec): string {
  return facet === undefined ? id : `${id}\u0000${facet.key}`;
}

/** A small card of each facet instead of each card of scalars. */
export function dividedCards(cards: readonly CardSpec[], facets: readonly Facet[] | null): CardSpec[] {
  if (facets === null) return [...cards];
  return cards.flatMap((card) =>
    card.summary !== undefined || card.panel !== undefined ? [card] : facets.map((facet) => ({ ...card, facet })),
  );
}

export interface Section {
  name: string;
  cards: CardSpec[];
}

/** Sections after this many are closed on the first visit. */
export const OPEN_SECTIONS = 3;
/** Tags without a "/" are together. */
export const PLAIN_SECTION = 'General';

export function sectionOf(tag: string): string {
  const cut = tag.indexOf('/');
  return cut <= 0 ? PLAIN_SECTION : tag.slice(0, cut);
}

/** A card for every tag; a merged card stands where its first tag stood and also shows the others. */
export function makeCards(tags: readonly string[], merged: readonly (readonly string[])[]): Map<string, CardSpec> {
  const known = new Set(tags);
  const extra = new Map(merged.map(([first, ...others]) => [first, others]));
  return new Map(
    tags.map((tag) => [tag, { id: tag, tags: [tag, ...(extra.get(tag) ?? []).filter((other) => known.has(other))] }]),
  );
}

/** A card for each run of each tag of a kind that is no scalar, by its id. */
export function makeSummaryCards(
  kind: string,
  tags: readonly string[],
  runs: readonly string[],
  has: (run: string, tag: string) => boolean,
): Map<string, CardSpec> {
  const cards = new Map<string, CardSpec>();
  for (const tag of tags) {
    for (const run of runs) {
      const id = cardIdOf(kind, run, tag);
      if (has(run, tag)) cards.set(id, { id, tags: [tag], summary: { kind, run, tag } });
    }
  }
  return cards;
}

/** A tag cannot be called so: no name that a card is given has a NUL. */
export function panelId(panel: Panel): string {
  return `panel\u0000${writePanel(panel)}`;
}

/** A card for each panel; the same panel twice is one. */
export function makePanelCards(panels: readonly Panel[]): CardSpec[] {
  return [...new Map(panels.map((panel) => [panelId(panel), { id: panelId(panel), tags: [], panel }])).values()];
}

/** In order of the tags; `pattern` keeps cards of which any tag matches. */
export function makeSections(cards: Iterable<CardSpec>, pattern: Pattern | null): Section[] {
  const sections = new Map<string, Section>();
  for (const card of cards) {
    if (pattern !== null && !card.tags.some((tag) => pattern.test(tag))) continue;
    const name = sectionOf(card.tags[0] ?? card.id);
    const section = sections.get(name);
    if (section === undefined) sections.set(name, { name, cards: [card] });
    else section.cards.push(card);
  }
  return [...sections.values()];
}

export function isOpen(
  name: string,
  place: number,
  opened: readonly string[],
  closed: readonly string[],
  filtered: boolean,
): boolean {
  if (closed.includes(name)) return false;
  return filtered || opened.includes(name) || place < OPEN_SECTIONS;
}

/** One line of the page: a heading, or cards side by side. */
export type PageLine =
  | { kind: 'heading'; key: string; name: string; count: number; open: boolean; fixed: boolean; height: number }
  | { kind: 'cards'; key: string; section: string; cards: CardSpec[]; columns: number; height: number };

export interface Block {
  name: string;
  cards: CardSpec[];
  open: boolean;
  /** Pinned and Highlights cannot be closed. */
  fixed: boolean;
  columns: number;
}

export interface CardSizes {
  heading: number;
  gap: number;
  /** Height of a card. */
  heightOf: (card: CardSpec) => number;
  isWide: (card: CardSpec) => boolean;
}

/** Wide cards have a line to themselves, where they stand. */
export function layOut(blocks: readonly Block[], sizes: CardSizes): PageLine[] {
  const lines: PageLine[] = [];
  for (const { name, cards, open, fixed, columns } of blocks) {
    lines.push({
      kind: 'heading',
      key: `heading ${name}`,
      name,
      count: new Set(cards.map((card) => card.id)).size,
      open,
      fixed,
      height: sizes.heading,
    });
    if (!open) continue;
    let line: CardSpec[] = [];
    const flush = (): void => {
      const [first] = line;
      if (first === undefined) return;
      const height = Math.max(...line.map(sizes.heightOf)) + sizes.gap;
      lines.push({ kind: 'cards', key: `${name} ${slotOf(first)}`, section: name, cards: line, columns, height });
      line = [];
    };
    for (const card of cards) {
      // Facets of one tag stand side by side, so that they can be compared.
      if (line.length > 0 && (card.facet ?? line[0]?.facet) !== undefined && line[0]?.id !== card.id) flush();
      if (sizes.isWide(card)) {
        flush();
        line = [card];
        const height = sizes.heightOf(card) + sizes.gap;
        lines.push({ kind: 'cards', key: `${name} ${slotOf(card)}`, section: name, cards: line, columns: 1, height });
        line = [];
        continue;
      }
      line.push(card);
      if (line.length === columns) flush();
    }
    flush();
  }
  return lines;
}

/** Highlights fill their line: two by two rather than three and one. */
export function highlightColumns(count: number, width: number, gap: number): number {
  const fit = columnsFor(width, 290, gap, 4);
  if (count === 3) return fit >= 3 ? 3 : 1;
  if (count === 4 && fit === 3) return 2;
  return Math.min(count, fit) || 1;
}
