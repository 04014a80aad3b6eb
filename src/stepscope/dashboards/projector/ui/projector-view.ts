// What the tab shows, as one text in the address: which embedding, how it is laid out, and what is marked.
import { readCamera, writeCamera, type Camera } from './camera';

export const METHODS = ['pca', 'tsne', 'umap', 'custom'] as const;
export type Method = (typeof METHODS)[number];
export type Metric = 'cosine' | 'euclidean';

export interface ProjectorView {
  run: string;
  name: string;
  /** Null for the last one. */
  step: number | null;
  method: Method;
  components: 2 | 3;
  /** Principal components that are drawn. */
  axes: [number, number, number];
  spherize: boolean;
  /** Of t-SNE and UMAP. */
  metric: Metric;
  perplexity: number;
  /** 0 for the number of points divided by 12. */
  rate: number;
  iterations: number;
  neighbours: number;
  minDist: number;
  /** Weight of the labels, 0 to 1. */
  supervision: number;
  /** Whether t-SNE or UMAP was started with these numbers. */
  started: boolean;
  /** Regular expressions over labels for the ends of custom axes: left and right of x, of y, of z. */
  ends: string[];
  /** Columns; an empty one is none, or for labels the first. */
  colour: string;
  label: string;
  labels: boolean;
  sprites: boolean;
  /** Regular expression over the label column. */
  search: string;
  /** The point whose neighbours are listed. */
  point: number | null;
  /** How many neighbours, and how their distance is measured. */
  near: number;
  nearBy: Metric;
  /** Points that everything else is left out for, as ranges such as 3-7.9; empty for all. */
  only: string;
  /** Points that were circled, in the same way; empty for none. */
  lassoed: string;
  /** Null for where everything is seen. */
  camera: Camera | null;
}

export const DEFAULTS: Readonly<ProjectorView> = {
  run: '',
  name: '',
  step: null,
  method: 'pca',
  components: 3,
  axes: [0, 1, 2],
  spherize: false,
  metric: 'euclidean',
  perplexity: 30,
  rate: 0,
  iterations: 1000,
  neighbours: 15,
  minDist: 0.1,
  supervision: 0,
  started: false,
  ends: [],
  colour: '',
  label: '',
  labels: true,
  sprites: false,
  search: '',
  point: null,
  near: 20,
  nearBy: 'cosine',
  only: '',
  lassoed: '',
  camera: null,
};

const NUMBERS: Readonly<Record<string, readonly [low: number, high: number]>> = {
  perplexity: [1, 10_000],
  rate: [0, 1e6],
  iterations: [1, 100_000],
  neighbours: [2, 1_000],
  minDist: [0, 1],
  supervision: [0, 1],
  near: [1, 1_000],
};

export function writeView(view: ProjectorView): string {
  const written = new URLSearchParams();
  for (const [key, value] of Object.entries(view) as [keyof ProjectorView, unknown][]) {
    if (key === 'camera') {
      if (view.camera !== null) written.set('camera', writeCamera(view.camera));
    } else if (Array.isArray(value)) {
      if (JSON.stringify(value) === JSON.stringify(DEFAULTS[key])) continue;
      if (key === 'axes') written.set(key, value.join('.'));
      else for (const one of value as string[]) written.append(key, one);
    } else if (value !== DEFAULTS[key]) written.set(key, value === true ? '1' : value === false ? '0' : String(value));
  }
  return written.toString();
}

export function readView(text: string): ProjectorView {
  const read = new URLSearchParams(text);
  const said = (key: string): string => read.get(key) ?? '';
  const whole = (key: string): number | null => (/^\d{1,15}$/.test(said(key)) ? Number(said(key)) : null);
  const numbers = Object.fromEntries(
    Object.entries(NUMBERS).flatMap(([key, [low, high]]) => {
      const value = Number(said(key));
      return read.has(key) && value >= low && value <= high ? [[key, value]] : [];
    }),
  );
  const flags = Object.fromEntries(
    ['spherize', 'started', 'labels', 'sprites'].flatMap((key) => (read.has(key) ? [[key, said(key) === '1']] : [])),
  );
  const texts = Object.fromEntries(
    ['run', 'name', 'colour', 'label', 'search', 'only', 'lassoed'].map((key) => [key, said(key)]),
  );
  const axes = said('axes').split('.').map(Number);
  return {
    ...DEFAULTS,
    ...texts,
    ...numbers,
    ...flags,
    step: whole('step'),
    point: whole('point'),
    method: METHODS.find((one) => one === said('method')) ?? DEFAULTS.method,
    components: said('components') === '2' ? 2 : 3,
    axes:
      axes.length === 3 && axes.every((one) => one >= 0 && one < 10)
        ? (axes as [number, number, number])
        : DEFAULTS.axes,
    metric: said('metric') === 'cosine' ? 'cosine' : 'euclidean',
    nearBy: said('nearBy') === 'euclidean' ? 'euclidean' : 'cosine',
    ends: read.getAll('ends').slice(0, 6),
    camera: readCamera(read.get('camera')),
  };
}

/** Numbers in ascending order as ranges: 3-7.9 is 3, 4, 5, 6, 7 and 9. */
export function writeRanges(points: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < points.length;) {
    let end = i;
    while (points[end + 1] === (points[end] as number) + 1) end++;
    parts.push(end > i ? `${points[i]}-${points[end]}` : `${points[i]}`);
    i = end + 1;
  }
  return parts.join('.');
}

export function readRanges(text: string, count: number): number[] {
  const found = new Set<number>();
  for (const part of text.split('.')) {
    const range = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    if (range === null) continue;
    const last = Math.min(count - 1, Number(range[2] ?? range[1]));
    for (let point = Number(range[1]); point <= last; point++) found.add(point);
  }
  return [...found].sort((one, other) => one - other);
}

/** The points as the server takes them: a bit each, in base64. */
export function bitsOf(points: readonly number[], count: number): string {
  const bits = new Uint8Array(Math.ceil(count / 8));
  for (const point of points) bits[point >> 3] = (bits[point >> 3] as number) | (1 << (point & 7));
  let text = '';
  for (let i = 0; i < bits.length; i += 4096) text += String.fromCharCode(...bits.subarray(i, i + 4096));
  return btoa(text);
}
