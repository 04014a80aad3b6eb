// What ranks have of a thing in which they differ.
import type { DisagreementRow } from '$api';

/** Each value once, with how many ranks have it; the most common first. */
export function valuesOf({ values }: DisagreementRow): { value: string; ranks: number }[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, ranks]) => ({ value, ranks })).sort((a, b) => b.ranks - a.ranks);
}
