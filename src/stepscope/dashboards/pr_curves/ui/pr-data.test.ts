// @vitest-environment happy-dom
// A card keeps its curves until new ones come, and shows nothing that comes too late.
import { afterEach, expect, it, vi } from 'vitest';
import { frameOf, refusal, serve } from '$web/api/fixture';
import { PrData } from './pr-data.svelte';

afterEach(() => vi.unstubAllGlobals());

const name = (run: string): { run: string; tag: string; step: number } => ({ run, tag: 'pr', step: 3 });
const COLUMNS = [
  'threshold',
  'precision',
  'recall',
  'true_positives',
  'false_positives',
  'true_negatives',
  'false_negatives',
];

/** One curve of two thresholds for each run that is asked for. */
function curves(body: unknown): ArrayBuffer {
  const asked = (body as { curves: { run: string }[] }).curves;
  return frameOf(
    COLUMNS.map((column) => (column === 'recall' ? [1, 0.5] : [0.25, 0.75])),
    (places) => ({
      epoch: 1,
      curves: asked.map(({ run }) => ({
        run,
        columns: Object.fromEntries(COLUMNS.map((column, i) => [column, places[i]])),
      })),
    }),
  );
}
const runs = (data: PrData): string[] => data.curves.map(({ run }) => run);

it('has the curves in order of recall', async () => {
  serve(({ body }) => curves(body));
  const data = new PrData();
  const loading = data.load([name('a')], true);
  expect(data.loading).toBe(true);
  await loading;
  expect([data.loading, runs(data), [...(data.curves[0]?.recall ?? [])]]).toEqual([false, ['a'], [0.5, 1]]);
  expect([...(data.curves[0]?.precision ?? [])]).toEqual([0.75, 0.25]);
});

it('keeps what it has when nothing new comes, and says why', async () => {
  serve(({ body }) => curves(body));
  const data = new PrData();
  await data.load([name('a')], true);
  serve(() => refusal('Cut short.'));
  await data.load([name('b')], true);
  expect([runs(data), data.problem, data.loading]).toEqual([['a'], 'Cut short.', false]);
  serve(({ body }) => curves(body));
  await data.load([name('b')], true);
  expect([runs(data), data.problem]).toEqual([['b'], null]);
});

it('stops what was asked before, and goes on loading what was asked last', async () => {
  const answers: (() => void)[] = [];
  const asked = serve(
    ({ body, signal }) =>
      new Promise<Response>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
        answers.push(() => resolve(new Response(curves(body))));
      }),
  );
  const data = new PrData();
  const first = data.load([name('slow')], true);
  const second = data.load([name('fast')], true);
  await first;
  expect([asked[0]?.signal?.aborted, data.loading, data.problem]).toEqual([true, true, null]);
  answers[1]?.();
  await second;
  expect([runs(data), data.loading]).toEqual([['fast'], false]);
});

it('asks for nothing when nothing is to be shown', async () => {
  const asked = serve(({ body }) => curves(body));
  const data = new PrData();
  await data.load([name('a')], true);
  await data.load([], true);
  expect([runs(data), asked.length]).toEqual([[], 1]);
  data.close();
});
