// Names of cards that show what one run logged under one tag, as pins and settings remember them.

/**
 * A card of scalars is named by its tag alone. A scalar tag of that very form would stand before the card of the same name, which can then
 * be reached in Media only.
 */
export function cardIdOf(kind: string, run: string, tag: string): string {
  return `@${kind} ${run} ${tag}`;
}

/** What such a name stands for; null for the tag of a card of scalars. */
export function parseCardId(id: string): { kind: string; run: string; tag: string } | null {
  const [, kind, run, tag] = /^@([a-z_]+) ([0-9a-f]{12}) (.+)$/s.exec(id) ?? [];
  return kind === undefined || run === undefined || tag === undefined ? null : { kind, run, tag };
}
