// Cards that ask at once share requests, and a request nobody waits for is stopped.
import { describe, expect, it } from 'vitest';
import type { JobRow } from '$api';
import { SeriesBatcher, type FetchSeries } from './batch';
import { seriesKey, type SeriesPart } from './series';
import type { SeriesQuery, SeriesRef } from './types';

const query: SeriesQuery = {
  x: 'step',
  x_tag: null,
  range: null,
  width: 640,
  log_x: false,
  segments: 'latest',
  smoothing: null,
  fold: true,
};

const refs = (tag: string, count: number): SeriesRef[] =>
  Array.from({ length: count }, (_, i) => ({ run: `run${i}`, tag }));

function recorder() {
  const calls: { query: SeriesQuery; refs: SeriesRef[]; signal: AbortSignal }[] = [];
  const fetchSeries: FetchSeries<SeriesQuery, SeriesPart> = async (asked, series, signal) => {
    calls.push({ query: asked, refs: [...series], signal });
    await Promise.resolve();
    return series.map((ref) => ({ ...ref, points: 1 }) as unknown as SeriesPart);
  };
  return { calls, fetchSeries };
}

const never = (): AbortSignal => new AbortController().signal;

describe('SeriesBatcher', () => {
  it('joins cards with the same query, and gives each its own curves', async () => {
    const { calls, fetchSeries } = recorder();
    const batcher = new SeriesBatcher(fetchSeries, { delayMs: 0 });
    const [loss, both] = await Promise.all([
      batcher.load(query, refs('loss', 3), never()),
      batcher.load(query, [...refs('loss', 1), ...refs('acc', 1)], never()),
    ]);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.refs).toHaveLength(4);
    expect([...loss.keys()]).toEqual(refs('loss', 3).map((ref) => seriesKey(ref.run, ref.tag)));
    expect([...both.keys()]).toEqual([seriesKey('run0', 'loss'), seriesKey('run0', 'acc')]);
  });

  it('keeps different queries apart and splits what is too large', async () => {
    const { calls, fetchSeries } = recorder();
    const batcher = new SeriesBatcher(fetchSeries, { delayMs: 0, joinedSeries: 10, maxSeries: 20 });
    const [, , big] = await Promise.all([
      batcher.load(query, refs('a', 8), never()),
      batcher.load({ ...query, width: 320 }, refs('a', 8), never()),
      batcher.load(query, refs('b', 45), never()),
    ]);
    expect(calls.map((call) => call.refs.length).sort((a, b) => a - b)).toEqual([5, 8, 8, 20, 20]);
    expect(big.size).toBe(45);
  });

  it('stops a request only when every card has gone', async () => {
    let seen: AbortSignal | undefined;
    let started: () => void = () => undefined;
    const hasStarted = new Promise<void>((resolve) => (started = resolve));
    const batcher = new SeriesBatcher<SeriesQuery, SeriesPart>(
      (_query, _refs, signal) => {
        seen = signal;
        started();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
        });
      },
      { delayMs: 0 },
    );
    const first = new AbortController();
    const second = new AbortController();
    const one = batcher.load(query, refs('a', 1), first.signal);
    const two = batcher.load(query, refs('b', 1), second.signal);
    await hasStarted;
    first.abort();
    await expect(one).rejects.toThrow();
    expect(seen?.aborted).toBe(false);
    second.abort();
    await expect(two).rejects.toThrow();
    expect(seen?.aborted).toBe(true);
  });

  it('tells every card of an answer that takes long', async () => {
    const row = { id: 'abc', done: 7 } as JobRow;
    const batcher = new SeriesBatcher<SeriesQuery, SeriesPart>(
      (_query, series, _signal, progress) => {
        progress(row);
        return Promise.resolve(series.map((ref) => ({ ...ref }) as SeriesPart));
      },
      { delayMs: 0 },
    );
    const heard: [string, number][] = [];
    const hear = (card: string) => (job: JobRow) => void heard.push([card, job.done]);
    await Promise.all([
      batcher.load(query, refs('a', 1), never(), hear('a')),
      batcher.load(query, refs('b', 1), never(), hear('b')),
    ]);
    expect(heard).toEqual([
      ['a', 7],
      ['b', 7],
    ]);
  });

  it('does not send what was given up before its turn', async () => {
    const { calls, fetchSeries } = recorder();
    const batcher = new SeriesBatcher(fetchSeries, { delayMs: 0 });
    const gone = new AbortController();
    const load = batcher.load(query, refs('a', 1), gone.signal);
    gone.abort();
    await expect(load).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(calls).toHaveLength(0);
  });
});
