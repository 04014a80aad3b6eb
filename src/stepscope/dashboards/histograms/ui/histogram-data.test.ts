// @vitest-environment happy-dom
// A card keeps its picture until the new one comes, follows its own series alone, and not too often.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { frameOf, refusal, serve, type Request } from '$web/api/fixture';
import type { GridQuery } from '$web/api/histograms';
import { HistogramData, type Asked } from './histogram-data.svelte';

const query = { x: 'step', range: null, slots: 10, bins: 5, fold: true } as unknown as GridQuery;
const grid: Asked = { kind: 'grid', query };
const series = { run: 'a', tag: 'weights' };
let asked: Request[] = [];
let answer: (request: Request) => BodyInit | Response;
let job: object | null = null;

const framed = ({ body, path }: Request): ArrayBuffer => {
  const found = (body as { series?: object[] } | undefined)?.series ?? [series];
  return frameOf([], () => ({
    job: path.includes('grid/') ? null : job,
    bins: [0, 1],
    levels: [0.5],
    series: found.map((one) => ({ ...one, problem: null, points: asked.length, columns: {} })),
  }));
};

beforeEach(() => {
  vi.useFakeTimers();
  job = null;
  answer = framed;
  asked = serve((request) => answer(request));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
const settle = (ms = 100): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

async function loaded(what: Asked = grid): Promise<HistogramData> {
  const data = new HistogramData();
  data.load(what, series);
  expect(data.loading).toBe(true);
  await settle();
  return data;
}
const points = (data: HistogramData): unknown => (data.part as { points?: number } | null)?.points;

it('asks for a grid or for bands', async () => {
  expect((await loaded()).part?.kind).toBe('grid');
  expect((await loaded({ kind: 'bands', query: query as never })).part?.kind).toBe('bands');
  expect(asked.map(({ path }) => path)).toEqual(['histograms/grid', 'histograms/bands']);
});

it('loads again when its series has grown, and after a rest', async () => {
  const data = await loaded();
  expect([points(data), data.loading]).toEqual([1, false]);
  data.changed({ a: ['weights'] });
  data.changed(null);
  await settle(500);
  expect(asked).toHaveLength(1);
  await settle(1000);
  expect([asked.length, points(data)]).toEqual([2, 2]);
  data.changed({ a: ['other'], b: ['weights'] });
  await settle(5000);
  expect(asked).toHaveLength(2);
});

it('says how many were read while that takes long', async () => {
  job = { id: 'j', done: 250, total: 1000 };
  let hold: (() => void) | null = null;
  const made = answer;
  answer = (request) =>
    request.path.includes('grid/')
      ? (new Promise<Response>(
          (resolve) => (hold = () => resolve(new Response(made(request) as ArrayBuffer))),
        ) as never)
      : made(request);
  const data = new HistogramData();
  data.load(grid, series);
  await settle();
  expect([data.read, data.loading]).toEqual([250, true]);
  (hold as (() => void) | null)?.();
  await settle();
  expect([data.read, data.loading, data.part === null]).toEqual([null, false, false]);
});

it('keeps its picture when the next does not come, and tries again when asked to', async () => {
  const data = await loaded();
  answer = () => refusal('Cut short.');
  data.retry();
  await settle();
  expect([data.problem, points(data)]).toEqual(['Cut short.', 1]);
  answer = framed;
  data.retry();
  await settle();
  expect([data.problem, points(data)]).toEqual([null, 3]);
});

it('asks for nothing after it was closed', async () => {
  const data = await loaded();
  data.changed(null);
  data.close();
  await settle(10_000);
  expect(asked).toHaveLength(1);
  new HistogramData().changed(null);
  await settle(10_000);
  expect(asked).toHaveLength(1);
  data.retry();
  data.close();
  await settle(10_000);
  expect([points(data), data.problem]).toEqual([1, null]);
});
