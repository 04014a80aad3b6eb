// The table of what names of spans mean, as docs/http-api.md describes it, and the rows that some words find in it.
import { getJson } from '$web/api/client';
import { addressOf } from '$web/api/routes';
import type { SpanCategories, SpanCategoryRow } from '$api';

export function fetchKinds(): Promise<SpanCategories> {
  return getJson(addressOf('profile/kinds', {}));
}

/** Rows of that kind, rows that hold the words, and rows that fit a whole name; all of them without words. */
export function rowsFor(rows: readonly SpanCategoryRow[], words: string): SpanCategoryRow[] {
  const text = words.trim().toLowerCase();
  if (text === '') return [...rows];
  return rows.filter(
    ({ pattern, kind, origin }) =>
      kind === text ||
      pattern.toLowerCase().includes(text) ||
      origin.toLowerCase().includes(text) ||
      fits(pattern.toLowerCase(), text),
  );
}

/** Whether a name fits a pattern as a whole; * stands for anything. */
export function fits(pattern: string, name: string): boolean {
  const parts = pattern.split('*');
  const first = parts[0] ?? '';
  if (parts.length === 1) return name === pattern;
  const last = parts[parts.length - 1] ?? '';
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = name.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= name.length - last.length;
}
