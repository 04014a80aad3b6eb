// Lines to paste have the folder that is open, as Python reads it, whatever its name is.
import { describe, expect, it } from 'vitest';

type Recipes = (folder: string) => { name: string; code: string }[];
const found = import.meta.glob<{ recipes?: Recipes }>(
  '/src/stepscope/dashboards/{audio,custom_scalars,graphs,histograms,images,mesh,pr_curves,projector,text}/ui/recipes.ts',
  {
    eager: true,
  },
);

it('finds the recipes of every dashboard that shows them', () => expect(Object.keys(found)).toHaveLength(9));

describe.each(Object.entries(found))('%s', (_, { recipes }) => {
  it('names frameworks once each', () => {
    const names = (recipes?.('/logs') ?? []).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
  });
  it.each(['/logs', 'C:\\runs', 'a "b"'])('has %j as a string', (folder) => {
    for (const { code } of recipes?.(folder) ?? []) expect(code).toContain(JSON.stringify(folder));
  });
});
