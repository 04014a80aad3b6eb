// Names of cards that show one run's summaries of one tag, as pins and settings remember them.

/**
 * A card of scalars is named by its tag alone. A tag of that very form would stand before the card of the same name, which can then be
 * reached in Media only.
 */
export function cardIdOf(kind: string, run: string, tag: string): string {
  return `@${kind} ${run} ${tag}`;
}
