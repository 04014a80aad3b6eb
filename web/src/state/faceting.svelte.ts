// The small charts that every chart is divided into, while a setting is chosen for them.
import { makeFacets, type Facet } from '../runs/facets';
import { view } from './choices.svelte';
import { runs } from './runs.svelte';

class Faceting {
  /** Null while charts are whole. */
  readonly facets = $derived.by((): Facet[] | null => {
    const { facetBy } = view;
    if (facetBy === '') return null;
    return makeFacets(facetBy, runs.kept, runs.visible, (row) => runs.settingOf(row, facetBy));
  });
}

export const faceting = new Faceting();
