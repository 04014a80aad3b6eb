// Rows are divided by the value of a setting, and none is lost.
import { expect, test } from 'vitest';
import { MOST_FACETS, makeFacets } from './facets';
import { aRun } from './fixture';
import { makeRows } from './rows';

const rowsOf = (names: readonly string[]) =>
  makeRows(
    names.map((name) => aRun(name)),
    false,
  );
const valueOf = ({ name }: { name: string }): string | undefined => name.split('=')[1];

test('a facet for each value in the order of numbers, then the rows without one', () => {
  const rows = rowsOf(['a lr=0.1', 'b lr=1e-3', 'c', 'd lr=0.1']);
  const all = new Set(rows.map((row) => row.id));
  const facets = makeFacets('lr', rows, all, valueOf);
  expect(facets.map(({ key, label, runs }) => [key, label, runs.size])).toEqual([
    ['=1e-3', 'lr = 1e-3', 1],
    ['=0.1', 'lr = 0.1', 2],
    ['none', 'without lr', 1],
  ]);
  const hidden = rows[1]?.id ?? '';
  const shown = new Set([...all].filter((id) => id !== hidden));
  expect(makeFacets('lr', rows, shown, valueOf).map(({ key }) => key)).toEqual(['=0.1', 'none']);
});

test('rare values beyond the limit share one facet, and no run is lost', () => {
  const rows = rowsOf(Array.from({ length: 30 }, (_, i) => `r${i} seed=${i < 20 ? i % 10 : i}`));
  const facets = makeFacets('seed', rows, new Set(rows.map((row) => row.id)), valueOf);
  expect(facets).toHaveLength(MOST_FACETS);
  expect(facets.at(-1)?.key).toBe('others');
  expect(facets.flatMap(({ runs }) => [...runs]).sort()).toEqual(rows.map((row) => row.id).sort());
  expect(facets.slice(0, 10).every(({ runs }) => runs.size === 2)).toBe(true);
});
