// What the projector works out by itself: state in the address, the camera, painting, colours, search, labels and bookmarks.
import { describe, expect, it } from 'vitest';
import type { Column } from './answers';
import { readBookmarks, writeBookmarks } from './bookmarks';
import { extentOf, FLAT, moved, project, readCamera, SOLID, turned, writeCamera, zoomed } from './camera';
import { sorted } from './chosen-files';
import { placeLabels } from './labels';
import { colouring, faded, packed } from './point-colours';
import { bitsOf, DEFAULTS, readRanges, readView, writeRanges, writeView, type ProjectorView } from './projector-view';
import { labelColumn, matching } from './search';
import { disc, insideOf, NOBODY, radiusFor, Splat } from './splat';

function classes(name: string, texts: readonly string[]): Column {
  const different = [...new Set(texts)];
  const codes = Int32Array.from(texts, (text) => different.indexOf(text));
  return { name, kind: 'classes', classes: different, codes, numbers: null, textOf: (point) => texts[point] ?? '' };
}

describe('the address', () => {
  const other: ProjectorView = {
    run: '0123456789ab',
    name: 'words & more',
    step: 12,
    method: 'tsne',
    components: 2,
    axes: [3, 0, 1],
    spherize: true,
    metric: 'cosine',
    perplexity: 12.5,
    rate: 200,
    iterations: 750,
    neighbours: 40,
    minDist: 0.5,
    supervision: 0.25,
    started: true,
    ends: ['king|man', '', 'x'],
    colour: 'kind',
    label: 'word',
    labels: false,
    sprites: true,
    search: 'a.b&c=d',
    point: 7,
    near: 50,
    nearBy: 'euclidean',
    only: '1-3.9',
    lassoed: '2.5-7',
    camera: { turn: 1, lift: -0.5, zoom: 2, x: 0.25, y: -0.125 },
  };

  it('keeps everything that is not as at first', () => {
    expect(readView(writeView(other))).toEqual(other);
    expect(writeView(DEFAULTS)).toBe('');
    expect(readView('')).toEqual(DEFAULTS);
    for (const key of Object.keys(DEFAULTS) as (keyof ProjectorView)[]) expect(other[key]).not.toEqual(DEFAULTS[key]);
  });

  it.each([
    'method=none',
    'perplexity=-1',
    'perplexity=x',
    'axes=1',
    'axes=0.1.99',
    'camera=1,2',
    'camera=0,0,0,0,0',
    'step=x',
  ])('ignores %s', (text) => expect(readView(text)).toEqual(DEFAULTS));

  it('writes points as ranges and as bits', () => {
    expect(writeRanges([1, 2, 3, 9])).toBe('1-3.9');
    expect(readRanges('1-3.9.x.5-4.100', 10)).toEqual([1, 2, 3, 9]);
    expect(readRanges('0-999999999', 5)).toEqual([0, 1, 2, 3, 4]);
    expect(atob(bitsOf([0, 9], 12))).toBe(String.fromCharCode(1, 2));
  });
});

describe('the camera', () => {
  it('comes back from its text', () => {
    expect(readCamera(writeCamera(SOLID))).toEqual(SOLID);
    expect(readCamera(null)).toBeNull();
  });
  it('keeps what is under the pointer when it zooms, and its lift within a quarter turn', () => {
    const near = zoomed(moved(FLAT, 0.1, 0), 2, 0.1, 0);
    expect([near.zoom, near.x]).toEqual([2, 0.1]);
    expect(turned(FLAT, 0, 9).lift).toBe(Math.PI / 2);
  });
  it('puts the middle in the middle, and y upwards', () => {
    const positions = Float32Array.of(-1, 0, 1, 0, 0, 1, 0, -1);
    const extent = extentOf(positions, 2);
    const into = new Float32Array(12);
    project(positions, 2, FLAT, extent, { width: 200, height: 100 }, into);
    expect([...into.subarray(0, 2)]).toEqual([54, 50]);
    expect(into[7]).toBeCloseTo(4);
    expect(extentOf(new Float32Array(6), 3).reach).toBe(1);
  });
  it('shows the near side in front after a half turn', () => {
    const positions = Float32Array.of(0, 0, 1, 0, 0, -1);
    const into = new Float32Array(6);
    project(positions, 3, FLAT, extentOf(positions, 3), { width: 10, height: 10 }, into);
    expect(into[2]).toBeGreaterThan(into[5] ?? 0);
    project(positions, 3, { ...FLAT, turn: Math.PI }, extentOf(positions, 3), { width: 10, height: 10 }, into);
    expect(into[2]).toBeLessThan(into[5] ?? 0);
  });
});

describe('painting', () => {
  const colours = Uint32Array.of(0xff0000ff, 0xff00ff00, 0xffff0000);
  it('shows the nearest, and says which it is', () => {
    const splat = new Splat();
    splat.begin(20, 20);
    splat.paint(Float32Array.of(5, 5, 0, 5, 5, 1, 15, 15, 0), colours, 1);
    expect(splat.pick(5, 5, 2)).toBe(1);
    expect(splat.pick(13, 15, 3)).toBe(2);
    expect(splat.pick(10, 2, 2)).toBe(NOBODY);
    splat.begin(20, 20);
    expect(splat.pick(5, 5, 2)).toBe(NOBODY);
  });
  it('cuts points at the border and leaves out those beyond', () => {
    const splat = new Splat();
    splat.begin(4, 4);
    splat.paint(Float32Array.of(0, 0, 0, 3, 3, 0, 100, NaN, 0), colours, 2);
    expect([splat.pick(0, 0, 0), splat.pick(3, 3, 0)]).toEqual([0, 1]);
  });
  it('has smaller points the more there are', () => {
    expect([100, 1000, 10_000, 50_000, 500_000].map((count) => radiusFor(count, 1))).toEqual([3.6, 2.6, 1.8, 1.2, 0.8]);
    expect(disc(1)).toHaveLength(5);
  });
  it('finds what is inside a lasso', () => {
    const places = Float32Array.of(5, 5, 0, 15, 5, 0, 5, 15, 0);
    expect(insideOf(places, [0, 0, 10, 0, 10, 10, 0, 10])).toEqual([0]);
    expect(insideOf(places, [0, 0, 10, 0])).toEqual([]);
  });
});

describe('colours', () => {
  const kinds = classes('kind', ['a', 'b', 'a']);
  it('are one for each class, with their sizes', () => {
    const { colours, legend } = colouring(3, kinds, 'light', '#123456');
    expect(colours[0]).toBe(colours[2]);
    expect(colours[0]).not.toBe(colours[1]);
    expect(legend.map(({ text, points }) => [text, points])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect(colouring(2, null, 'light', '#123456').colours[1]).toBe(packed('#123456'));
    expect(packed('#123456')).toBe(0xff563412);
  });
  it('run from low to high for numbers', () => {
    const many = classes(
      'n',
      Array.from({ length: 20 }, (_, n) => String(n)),
    );
    const column = { ...many, numbers: Float64Array.from({ length: 20 }, (_, n) => (n === 3 ? NaN : n)) };
    const { scale, colours } = colouring(20, column, 'dark', '#000000');
    expect([scale?.low, scale?.high]).toEqual([0, 19]);
    expect(new Set([colours[0], colours[3], colours[19]]).size).toBe(3);
  });
  it('fade where a point is not marked', () => {
    const colours = Uint32Array.of(0xff000000, 0xff000000);
    const [first, second] = faded(colours, new Set([1]), 'light');
    expect(second).toBe(0xff000000);
    expect(first).toBe(0xffd6d6d6);
    expect(faded(colours, null, 'light')).toBe(colours);
  });
});

describe('search', () => {
  const words = classes('word', ['King', 'queen', 'kin']);
  it('takes regular expressions in either case', () => {
    expect(matching(3, words, '^k')).toEqual({ points: [0, 2], problem: null });
    expect(matching(3, words, '')).toEqual({ points: [], problem: null });
    expect(matching(3, null, 'k').points).toEqual([]);
    expect(matching(3, words, '(').problem).not.toBeNull();
  });
  it('names points by the column that tells most', () => {
    const kinds = classes('kind', ['a', 'a', 'b']);
    expect(labelColumn([kinds, words], '')).toBe(words);
    expect(labelColumn([kinds, words], 'kind')).toBe(kinds);
    expect(labelColumn([], '')).toBeNull();
  });
});

it('writes labels where there is room', () => {
  const places = Float32Array.of(10, 10, 0, 12, 11, 0, 10, 50, 0, -50, 0, 0);
  const found = placeLabels(
    [0, 1, 2, 3],
    places,
    (point) => point,
    (point) => `p${point}`,
    () => 20,
    100,
    100,
    10,
  );
  expect(found.map(({ point }) => point)).toEqual([0, 2]);
  expect(
    placeLabels(
      [0, 2],
      places,
      (point) => point,
      () => 'x',
      () => 5,
      100,
      100,
      1,
    ),
  ).toHaveLength(1);
});

describe('bookmarks', () => {
  it('come back from the file', () => {
    const view: Partial<ProjectorView> = {
      method: 'umap',
      components: 2,
      neighbours: 7,
      point: 3,
      only: '1-2',
      search: 'x',
      colour: 'c',
      label: 'l',
    };
    const [found] = readBookmarks(writeBookmarks([{ label: 'mine', view }], 10)) ?? [];
    expect(found?.label).toBe('mine');
    expect(found?.view).toMatchObject({ ...view, started: true });
  });
  it('of TensorBoard are understood, and other files are not', () => {
    const state = {
      selectedProjection: 'tsne',
      tSNEPerplexity: 9,
      tSNEis3d: false,
      selectedPoints: [4],
      filteredPoints: [5, 4],
      projections: [],
    };
    expect(readBookmarks(JSON.stringify([state]))).toEqual([
      {
        label: 'Bookmark 1',
        view: { method: 'tsne', components: 2, perplexity: 9, point: 4, only: '4-5', started: true },
      },
    ]);
    for (const text of ['', '{}', '[]', '[1]', 'null']) expect(readBookmarks(text)).toBeNull();
  });
});

it('tells vectors from metadata', () => {
  const file = (name: string, size: number): { name: string; size: number } => ({ name, size });
  const [vectors, labels, binary] = [file('v.tsv', 100), file('Labels.tsv', 900), file('x.npy', 1)];
  expect(sorted([])).toBeNull();
  expect(sorted([vectors])).toEqual({ vectors, metadata: null });
  expect(sorted([labels, vectors])).toEqual({ vectors, metadata: labels });
  expect(sorted([vectors, binary])).toEqual({ vectors: binary, metadata: vectors });
  expect(sorted([vectors, file('w.tsv', 9)])?.vectors).toBe(vectors);
});
