// Bookmarks as TensorBoard's projector saves and loads them: a list of views, of which the fields that both know are used.
import { DEFAULTS, METHODS, readRanges, writeRanges, type ProjectorView } from './projector-view';

export interface Bookmark {
  label: string;
  view: Partial<ProjectorView>;
}

type Saved = Record<string, unknown>;
const MOST = 500;

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The bookmarks of a file; null when it has none. */
export function readBookmarks(text: string): Bookmark[] | null {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return null;
  }
  const list = Array.isArray(found) ? (found as unknown[]) : [found];
  const states = list.filter(
    (one): one is Saved => typeof one === 'object' && one !== null && 'selectedProjection' in one,
  );
  return states.length === 0 ? null : states.slice(0, MOST).map(bookmarkOf);
}

function bookmarkOf(state: Saved, place: number): Bookmark {
  const method = METHODS.find((one) => one === state['selectedProjection']);
  const chosen = Array.isArray(state['filteredPoints']) ? (state['filteredPoints'] as unknown[]).map(Number) : [];
  const selected = Array.isArray(state['selectedPoints'])
    ? numberOf((state['selectedPoints'] as unknown[])[0])
    : undefined;
  const dimensions = Array.isArray(state['pcaComponentDimensions'])
    ? (state['pcaComponentDimensions'] as unknown[]).map(Number)
    : [];
  const flat =
    (method === 'tsne' && state['tSNEis3d'] === false) ||
    (method === 'umap' && state['umapIs3d'] === false) ||
    (method === 'pca' && dimensions.length === 2);
  const given: Partial<Record<keyof ProjectorView, unknown>> = {
    method,
    components: flat ? 2 : 3,
    perplexity: numberOf(state['tSNEPerplexity']),
    rate: numberOf(state['tSNELearningRate']),
    iterations: numberOf(state['tSNEIteration']) || undefined,
    neighbours: numberOf(state['umapNeighbors']),
    colour: textOf(state['selectedColorOptionName']),
    label: textOf(state['selectedLabelOption']),
    search: textOf(state['searchPattern']),
    point: selected,
    only: writeRanges(chosen.filter((one) => Number.isInteger(one) && one >= 0).sort((one, other) => one - other)),
    axes: dimensions.length >= 2 ? [dimensions[0], dimensions[1], dimensions[2] ?? 2] : undefined,
    started: method === 'tsne' || method === 'umap' ? true : undefined,
  };
  const view = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { label: textOf(state['label']) || `Bookmark ${place + 1}`, view: view as Partial<ProjectorView> };
}

/** The text of a file that TensorBoard loads, too. */
export function writeBookmarks(bookmarks: readonly Bookmark[], count: number): string {
  return JSON.stringify(
    bookmarks.map(({ label, view }) => {
      const whole = { ...DEFAULTS, ...view };
      return {
        label,
        isSelected: false,
        selectedProjection: whole.method,
        tSNEIteration: whole.iterations,
        tSNEPerplexity: whole.perplexity,
        tSNELearningRate: whole.rate,
        tSNEis3d: whole.components === 3,
        umapIs3d: whole.components === 3,
        umapNeighbors: whole.neighbours,
        pcaComponentDimensions: whole.axes.slice(0, whole.components),
        filteredPoints: readRanges(whole.only, count),
        selectedPoints: whole.point === null ? [] : [whole.point],
        searchPattern: whole.search,
        selectedLabelOption: whole.label,
        selectedColorOptionName: whole.colour,
        forceCategoricalColoring: false,
      };
    }),
    null,
    1,
  );
}
