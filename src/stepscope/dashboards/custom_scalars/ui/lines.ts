// Arranges categories as lines of the page: headings, and cards side by side.
import type { Pattern } from '$web/patterns/pattern';
import type { Category, Chart } from '$api';

export interface Section extends Category {
  /** Tells categories of one title apart. */
  id: string;
  own: boolean;
}

export interface CardSpec {
  id: string;
  chart: Chart;
}

export type Line =
  | { kind: 'heading'; key: string; section: Section; open: boolean; height: number }
  | { kind: 'cards'; key: string; cards: CardSpec[]; columns: number; height: number };

export function sectionsOf(own: readonly Category[], logged: readonly Category[]): Section[] {
  return [
    ...own.map((category) => ({ ...category, id: `own ${category.title}`, own: true })),
    ...logged.map((category) => ({ ...category, id: `logged ${category.title}`, own: false })),
  ];
}

/** Finds charts by their titles and by what they are made of; a category's title finds all of its charts. */
export function filterSections(sections: readonly Section[], pattern: Pattern | null): Section[] {
  if (pattern === null) return [...sections];
  return sections
    .map((section) =>
      pattern.test(section.title)
        ? section
        : {
            ...section,
            charts: section.charts.filter(({ title, patterns, bands }) =>
              [title, ...patterns, ...bands.map(({ value }) => value)].some((text) => pattern.test(text)),
            ),
          },
    )
    .filter(({ charts }) => charts.length > 0);
}

export function linesOf(
  sections: readonly Section[],
  isOpen: (section: Section) => boolean,
  sizes: { heading: number; card: number; columns: number },
): Line[] {
  const lines: Line[] = [];
  for (const section of sections) {
    const open = isOpen(section);
    lines.push({ kind: 'heading', key: `heading ${section.id}`, section, open, height: sizes.heading });
    if (!open) continue;
    const cards = section.charts.map((chart, i) => ({ id: `${section.id} ${i}`, chart }));
    // A category with few charts fills the width with them.
    const columns = Math.min(sizes.columns, Math.max(1, cards.length));
    for (let i = 0; i < cards.length; i += columns) {
      const line = cards.slice(i, i + columns);
      lines.push({ kind: 'cards', key: line[0]?.id ?? '', cards: line, columns, height: sizes.card });
    }
  }
  return lines;
}
