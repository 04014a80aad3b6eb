// Which rows a click, with Shift or without, picks.

export function toggledPick(picked: ReadonlySet<string>, id: string): Set<string> {
  const next = new Set(picked);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Adds all between two rows of a list, with both ends; only the second where the first is not listed. */
export function ranged(
  picked: ReadonlySet<string>,
  listed: readonly string[],
  from: string | null,
  to: string,
): Set<string> {
  const end = listed.indexOf(to);
  const start = from === null ? -1 : listed.indexOf(from);
  const between = start < 0 ? [to] : listed.slice(Math.min(start, end), Math.max(start, end) + 1);
  return new Set([...picked, ...between]);
}

/** Labels that all, and that only some, of the rows have. */
export function labelsOf(rows: readonly { labels: readonly string[] }[]): { all: string[]; some: string[] } {
  const known = [...new Set(rows.flatMap((row) => row.labels))].sort();
  const all = known.filter((label) => rows.every((row) => row.labels.includes(label)));
  return { all, some: known.filter((label) => !all.includes(label)) };
}
