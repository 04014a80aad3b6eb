// Divides rows by the value of a setting, for a small chart each.
import { visibleName } from './names';
import { compareValues } from './fields';
import type { Row } from './rows';

/** More small charts of one tag could not be compared at a glance; further values share one. */
export const MOST_FACETS = 12;

export interface Facet {
  /** Tells it from the others of the setting. */
  key: string;
  label: string;
  runs: ReadonlySet<string>;
}

/** In order of the values; those of the rarest values share the last but one, rows without the setting have the last. */
export function makeFacets(
  name: string,
  rows: readonly Row[],
  visible: ReadonlySet<string>,
  valueOf: (row: Row) => string | undefined,
): Facet[] {
  const found = new Map<string, string[]>();
  const without: string[] = [];
  for (const row of rows) {
    const ids = row.runs.map((run) => run.id).filter((id) => visible.has(id));
    const value = valueOf(row);
    if (ids.length === 0) continue;
    if (value === undefined) without.push(...ids);
    else found.set(value, [...(found.get(value) ?? []), ...ids]);
  }
  const many = found.size > MOST_FACETS;
  const common = [...found].sort((a, b) => b[1].length - a[1].length).slice(0, many ? MOST_FACETS - 1 : MOST_FACETS);
  const kept = new Set(common.map(([value]) => value));
  const rest = [...found].filter(([value]) => !kept.has(value));
  return [
    ...common
      .sort(([a], [b]) => compareValues(a, b))
      .map(([value, ids]) => ({ key: `=${value}`, label: visibleName(`${name} = ${value}`), runs: new Set(ids) })),
    ...(rest.length === 0
      ? []
      : [
          {
            key: 'others',
            label: visibleName(`${rest.length} other values of ${name}`),
            runs: new Set(rest.flatMap(([, ids]) => ids)),
          },
        ]),
    ...(without.length === 0 ? [] : [{ key: 'none', label: visibleName(`without ${name}`), runs: new Set(without) }]),
  ];
}
