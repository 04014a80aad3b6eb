// Which rows of a view are marked: those that are, or contain, nodes of a finding or of a comparison.
import { inks, runColours, type Theme } from '$web/style/theme';
import type { GraphCompareAnswer, GraphFinding, GraphViewRow } from './answers';
import { paintOf, type Colouring } from './colours';
import { finder } from './paths';

export type Change = 'added' | 'removed' | 'changed';
/** Places in the palette: green, red and orange in both themes. */
export const CHANGE_HUES: Readonly<Record<Change, number>> = { added: 2, removed: 3, changed: 1 };

/** Rows with nodes of the findings that fire; of one of them when a rule is chosen. */
export function findingMarks(
  rows: readonly GraphViewRow[],
  findings: readonly GraphFinding[],
  rule: string,
  theme: Theme,
): Map<number, string> {
  const find = finder(rows);
  const places = new Map(rows.map((row, place) => [row, place]));
  const found = new Map<number, string>();
  for (const finding of findings) {
    if (finding.verdict !== 'fires' || (rule !== '' && finding.rule !== rule)) continue;
    for (const path of finding.nodes) {
      const row = find(path);
      if (row !== null) found.set(places.get(row) ?? -1, inks[theme].amber);
    }
  }
  return found;
}

/** How each row differs; one in which some were added and others removed has changed. */
export function changesOf(
  rows: readonly GraphViewRow[],
  { differences }: Pick<GraphCompareAnswer, 'differences'>,
): Map<number, Change> {
  const find = finder(rows);
  const places = new Map(rows.map((row, place) => [row, place]));
  const counted = new Map<number, Map<Change, number>>();
  for (const { node, change } of differences) {
    const row = find(node);
    if (row === null) continue;
    const place = places.get(row) ?? -1;
    const of = counted.get(place) ?? new Map<Change, number>();
    of.set(change, (of.get(change) ?? 0) + 1);
    counted.set(place, of);
  }
  return new Map(
    [...counted].map(([place, of]) => {
      const all = [...of.keys()];
      const whole = all.length === 1 && (all[0] !== 'added' || of.get('added') === rows[place]?.nodes);
      return [place, whole ? (all[0] ?? 'changed') : 'changed'];
    }),
  );
}

/** The colours of a comparison in place of those that were chosen. */
export function comparisonColours(
  rows: readonly GraphViewRow[],
  changes: ReadonlyMap<number, Change>,
  theme: Theme,
): Colouring {
  const words: Record<Change, string> = { added: 'Added', changed: 'Changed', removed: 'Contains removed nodes' };
  return {
    paints: rows.map((_, place) => {
      const change = changes.get(place);
      return paintOf(theme, change === undefined ? null : CHANGE_HUES[change]);
    }),
    legend: {
      entries: (['added', 'changed', 'removed'] as const).map((change) => ({
        colour: runColours[theme][CHANGE_HUES[change]] ?? '',
        text: words[change],
      })),
      scale: null,
      note: '',
    },
  };
}
