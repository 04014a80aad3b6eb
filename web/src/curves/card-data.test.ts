// @vitest-environment happy-dom
// A card keeps its curves until new ones come, asks only for what is missing or changed, and survives failures.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seriesKey } from '../api/series';
import type { SeriesQuery, SeriesRef } from '../api/types';
import { CardData } from './card-data.svelte';

const query: SeriesQuery = {
  x: 'step',
  x_tag: null,
  range: null,
  width: 256,
  log_x: false,
  segments: 'latest',
  smoothing: null,
  fold: true,
};
const ref = (run: string): SeriesRef => ({ run, tag: 'loss' });
const key = (run: string): string => seriesKey(run, 'loss');

/** A frame whose series carry how many requests were made before, so that old and new can be told apart. */
function frame(series: SeriesRef[], points: number): ArrayBuffer {
  const header = new TextEncoder().encode(
    JSON.stringify({ series: series.map((one) => ({ ...one, points, columns: {} })) }),
  );
  const out = new Uint8Array(Math.ceil((4 + header.length) / 8) * 8);
  new DataView(out.buffer).setUint32(0, header.length, true);
  out.set(header, 4);
  return out.buffer;
}

let asked: string[][] = [];
let answer: (series: SeriesRef[]) => Response;

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  answer = (series) => new Response(frame(series, asked.length));
  vi.stubGlobal('fetch', (_address: string, init: RequestInit) => {
    const { series } = JSON.parse(String(init.body)) as { series: SeriesRef[] };
    asked.push(series.map((one) => one.run));
    return Promise.resolve(answer(series));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function settle(ms = 50): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

async function loaded(runs: string[]): Promise<CardData> {
  const data = new CardData();
  void data.load(query, runs.map(ref));
  await settle();
  return data;
}

describe('CardData', () => {
  it('asks only for runs that were not shown before', async () => {
    const data = await loaded(['a', 'b']);
    void data.load(query, ['b', 'c'].map(ref));
    await settle();
    expect(asked).toEqual([['a', 'b'], ['c']]);
    expect([...data.parts.keys()]).toEqual([key('b'), key('c')]);
  });

  it('asks for all when the query changed, and keeps the old curves until then', async () => {
    const data = await loaded(['a']);
    void data.load({ ...query, width: 512 }, [ref('a')]);
    expect(data.parts.get(key('a'))?.points).toBe(1);
    await settle();
    expect(data.parts.get(key('a'))?.points).toBe(2);
  });

  it('makes one request for all cards that grow', async () => {
    const early = await loaded(['a']);
    early.changed({ a: ['loss'] });
    await settle(170);
    const late = await loaded(['b']);
    late.changed({ b: ['loss'] });
    await settle(70);
    asked = [];
    for (let round = 0; round < 24; round++) {
      for (const card of [early, late]) card.changed({ a: ['loss'], b: ['loss'] });
      await settle(250);
    }
    // Each card begins at once; from then on they are refreshed together.
    const later = asked.slice(1).map((runs) => runs.sort().join());
    expect(later.length).toBeGreaterThan(3);
    expect(new Set(later)).toEqual(new Set(['a,b']));
  });

  it('fetches what grew at once, then waits before the next time', async () => {
    const data = await loaded(['a', 'b']);
    data.changed({ b: ['loss'], a: ['other'] });
    await settle();
    data.changed({ b: ['loss'] });
    await settle();
    expect(asked).toEqual([['a', 'b'], ['b']]);
    await settle(1000);
    expect(asked).toEqual([['a', 'b'], ['b'], ['b']]);
    expect(data.parts.get(key('a'))?.points).toBe(1);
    expect(data.parts.get(key('b'))?.points).toBe(3);
  });

  it('says why nothing came, and tries again on demand', async () => {
    answer = () =>
      new Response(JSON.stringify({ error: { code: 'x', message: 'Reload the folder.' } }), { status: 500 });
    const data = await loaded(['a']);
    expect(data.problem).toBe('Reload the folder.');
    answer = (series) => new Response(frame(series, 7));
    data.retry();
    await settle();
    expect(data.problem).toBeNull();
    expect(data.parts.get(key('a'))?.points).toBe(7);
  });

  it('keeps its curves when a refresh fails', async () => {
    const data = await loaded(['a']);
    answer = () => new Response('', { status: 500 });
    data.changed(null);
    await settle();
    expect(asked).toHaveLength(2);
    expect(data.problem).toBeNull();
    expect(data.parts.size).toBe(1);
  });

  it('is silent after it was closed', async () => {
    const data = await loaded(['a']);
    data.changed(null);
    data.close();
    await settle(2000);
    expect(asked).toHaveLength(1);
  });
});
