// @vitest-environment happy-dom
// A library knows its tags and the steps of what was on screen, keeps up with the folder, and asks its own routes.
import { flushSync } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { frameOf, refusal, serve, type Request } from '../api/fixture';
import type { SeriesRef } from '../api/types';
import { view } from '../state/choices.svelte';
import { folder } from '../state/folder.svelte';
import { LoggedLibrary } from './library.svelte';

const ref = (run: string, tag = 'sample'): SeriesRef => ({ run, tag });
let asked: Request[] = [];
let fails = false;
let stop: (() => void) | null = null;

const tagList = { epoch: 1, runs: ['a', 'b'], tags: [{ name: 'sample', runs: [0, 1], values: [2, 5] }], series: 2 };

function steps({ body }: Request): ArrayBuffer {
  const { series } = body as { series: SeriesRef[] };
  return frameOf(
    series.flatMap(() => [
      [0, 10],
      [100, 110],
    ]),
    (places) => ({
      epoch: 1,
      series: series.map((one, i) => ({
        ...one,
        samples: 1,
        origin: 100,
        columns: { step: places[2 * i], wall: places[2 * i + 1] },
      })),
    }),
  );
}

beforeEach(() => {
  vi.useFakeTimers();
  fails = false;
  asked = serve((request) => {
    if (fails) return refusal('No disk.');
    return request.path.includes('/tags') ? JSON.stringify(tagList) : steps(request);
  });
});
afterEach(() => {
  stop?.();
  stop = null;
  view.fold = true;
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function followed(library: LoggedLibrary): LoggedLibrary {
  stop = $effect.root(() => library.follow());
  flushSync();
  return library;
}
const settle = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const change = (changed: Record<string, string[]> | null): void =>
  (Reflect.get(folder, 'tell') as (changed: Record<string, string[]> | null) => void).call(folder, changed);
const stepsAsked = (): string[][] =>
  asked
    .filter(({ path }) => path.includes('/steps'))
    .map(({ body }) => (body as { series: SeriesRef[] }).series.map(({ run }) => run));

describe('a library', () => {
  it('has the tags with how many values each run logged', async () => {
    const library = followed(new LoggedLibrary('images'));
    expect(library.tags).toBeNull();
    await settle();
    expect(library.tags?.map(({ name, values }) => [name, [...values]])).toEqual([
      ['sample', [['a', 2], ['b', 5]]],
    ]); // prettier-ignore
    expect(asked[0]?.path).toBe('images/tags?fold=true');
  });

  it('asks for the steps of a series once', async () => {
    const library = followed(new LoggedLibrary('images'));
    library.want([ref('a'), ref('b')]);
    library.want([ref('a')]);
    await settle();
    expect(stepsAsked()).toEqual([['a', 'b']]);
    expect([...(library.of(ref('a'))?.step ?? [])]).toEqual([0, 10]);
    expect(library.of(ref('c'))).toBeUndefined();
  });

  it('asks again for what has grown, after a pause', async () => {
    const library = followed(new LoggedLibrary('images'));
    library.want([ref('a'), ref('b')]);
    await settle(2000);
    change({ b: ['sample'], a: ['other'] });
    await settle(2000);
    expect(stepsAsked()).toEqual([['a', 'b'], ['b']]);
    change(null);
    await settle(2000);
    expect(stepsAsked()[2]).toEqual(['a', 'b']);
  });

  it('forgets everything when folders are folded otherwise', async () => {
    const library = followed(new LoggedLibrary('images'));
    library.want([ref('a')]);
    await settle();
    view.fold = false;
    flushSync();
    expect(library.of(ref('a'))).toBeUndefined();
    await settle();
    expect(asked.at(-1)?.path).toBe('images/tags?fold=false');
  });

  it('says what is wrong, and asks again for what did not come', async () => {
    const library = followed(new LoggedLibrary('images'));
    await settle();
    fails = true;
    library.want([ref('a')]);
    await settle();
    expect(library.problem).toBe('No disk.');
    fails = false;
    library.want([ref('a')]);
    await settle();
    expect(library.of(ref('a'))).toBeDefined();
  });

  it('asks for many series in parts', async () => {
    const library = followed(new LoggedLibrary('images'));
    library.want(Array.from({ length: 250 }, (_, i) => ref(`run${i}`)));
    await settle();
    expect(stepsAsked().map((runs) => runs.length)).toEqual([100, 100, 50]);
  });
});

const dashboards = import.meta.glob<{ library: LoggedLibrary }>('/src/stepscope/dashboards/*/ui/library.ts', {
  eager: true,
});

it('is one for each dashboard of logged values, by the name of its folder', () => {
  const found = Object.entries(dashboards).map(([path, { library }]) => [path.split('/')[4], library.media]);
  expect(found).toHaveLength(5);
  for (const [name, media] of found) expect(media).toBe(name);
});
