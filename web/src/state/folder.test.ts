// @vitest-environment happy-dom
// The folder keeps up with the server's live events, catches up after a pause or a gap, and takes back what was not saved.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { refusal, serve, type Request } from '../api/fixture';
import { TagIndex } from '../api/tags';
import type { Delta, Folder } from '../api/types';
import { aRun } from '../runs/fixture';
import { folder, type Changed } from './folder.svelte';
import { messages } from './messages.svelte';

const about = { epoch: 1, points: 10, live_runs: 0, newest: 100, loading: {} } as unknown as Folder;
const delta = (more: Partial<Delta> = {}): Delta =>
  ({
    epoch: 2,
    points: 20,
    live_runs: 1,
    newest: 200,
    loading: {},
    runs_changed: false,
    tags_changed: false,
    changed: {},
    changed_all: false,
    ...more,
  }) as unknown as Delta;
const feed = (name: 'delta' | 'hello', event: unknown): unknown =>
  (Reflect.get(folder, name) as (event: unknown) => unknown).call(folder, event);

let asked: Request[] = [];
let fails = false;
let told: Changed[] = [];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(folder, {
    folder: about,
    runs: [],
    tags: TagIndex.EMPTY,
    grown: new Map(),
    paused: false,
    ready: false,
    problem: null,
  });
  Reflect.set(folder, 'greeted', false);
  told = [];
  stop = folder.onChange((changed) => told.push(changed));
  fails = false;
  asked = serve(({ path }) => {
    if (fails) return refusal('No disk.');
    if (path.startsWith('runs')) return JSON.stringify({ runs: [aRun('a', { id: 'a1' })] });
    if (path.startsWith('tags')) return JSON.stringify({ runs: ['a1'], tags: [] });
    return JSON.stringify({ ...about, jobs: [] });
  });
});
afterEach(async () => {
  stop();
  await vi.runAllTimersAsync();
  Object.assign(folder, {
    folder: null,
    runs: [],
    tags: TagIndex.EMPTY,
    grown: new Map(),
    paused: false,
    ready: false,
    problem: null,
  });
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
const settle = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const paths = (): string[] => asked.map(({ path }) => path.split(/[?/]/)[0] ?? '');

describe('a delta', () => {
  it('brings its sums, tells which series changed, and notes which runs grew', () => {
    feed('delta', delta({ changed: { a1: ['loss'] } }));
    expect([folder.folder?.points, folder.folder?.newest]).toEqual([20, 200]);
    expect(told).toEqual([{ a1: ['loss'] }]);
    expect([...folder.grown]).toEqual([['a1', 200]]);
    expect(asked).toEqual([]);
  });

  it('may mean anything', () => {
    feed('delta', delta({ changed_all: true }));
    expect(told).toEqual([null]);
  });

  it('has lists fetched when these changed: tags only with the tags', async () => {
    Reflect.set(folder, 'tagsStale', false);
    feed('delta', delta({ runs_changed: true }));
    await settle(5_000);
    expect(paths()).toContain('runs');
    expect(paths()).not.toContain('tags');
    feed('delta', delta({ tags_changed: true }));
    await settle(5_000);
    expect(paths()).toContain('tags');
    expect([folder.ready, folder.runs.map(({ id }) => id), folder.grown.size]).toEqual([true, ['a1'], 0]);
  });
});

it('shows nothing new while it is paused, and everything after', async () => {
  folder.togglePause();
  feed('delta', delta({ changed: { a1: ['loss'] }, runs_changed: true }));
  await settle(5_000);
  expect([told, asked, folder.folder?.points]).toEqual([[], [], 20]);
  folder.togglePause();
  expect(told).toEqual([null]);
  await settle(5_000);
  expect(paths()).toContain('runs');
});

it('catches up at every hello but the first', async () => {
  feed('hello', about);
  expect(told).toEqual([]);
  feed('hello', about);
  expect(told).toEqual([null]);
  await settle(5_000);
});

it('says why the first lists did not come, and not when there are lists', async () => {
  fails = true;
  feed('delta', delta({ runs_changed: true }));
  await settle(5_000);
  expect([folder.ready, folder.problem]).toEqual([false, 'No disk.']);
  Object.assign(folder, { ready: true, problem: null });
  feed('delta', delta({ runs_changed: true }));
  await settle(5_000);
  expect(folder.problem).toBeNull();
});

describe('what a user types about a run', () => {
  it('is shown at once and sent', async () => {
    folder.runs = [aRun('a', { id: 'a1' }), aRun('b', { id: 'b2' })];
    const saved = folder.patch(['a1'], { note: 'best' });
    expect(folder.runs.map(({ note }) => note)).toEqual(['best', null]);
    await saved;
    expect(asked.map(({ method }) => method)).toEqual(['PATCH']);
  });

  it('is taken back when it could not be saved', async () => {
    const fail = vi.spyOn(messages, 'fail').mockImplementation(() => undefined);
    folder.runs = [aRun('a', { id: 'a1' })];
    fails = true;
    await folder.patch(['a1'], { note: 'best' });
    expect([folder.runs[0]?.note, fail.mock.calls.length]).toEqual([null, 1]);
    fail.mockRestore();
  });
});
