// Puts tags of several cards onto one, by menu or by dragging one card's head onto another.

/** What a dragged card head carries. */
export const DRAGGED_TAGS = 'application/x-stepscope-tags';

/** Something else may be dragged under this name: anything but a list of texts is nothing. */
export function readDragged(text: string): string[] {
  try {
    const tags: unknown = JSON.parse(text);
    return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
  } catch {
    return [];
  }
}

/** The list of merged cards after the first of `own` shows `added` as well; one tag alone is no merged card. */
export function mergeTags(
  merged: readonly (readonly string[])[],
  own: readonly string[],
  added: readonly string[],
): string[][] {
  const [id] = own;
  const others = merged.filter(([first]) => first !== id).map((tags) => [...tags]);
  const tags = [...new Set([...own, ...added])];
  return tags.length > 1 ? [...others, tags] : others;
}
