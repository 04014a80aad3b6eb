// @vitest-environment happy-dom
// Sessions are listed and chosen; a read keeps what it shows until there is something better, and can be cancelled.
import { flushSync } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { refusal, serve } from '$web/api/fixture';
import { view } from '$web/state/choices.svelte';
import { folder } from '$web/state/folder.svelte';
import { defaultView } from '$web/state/view';
import type { Reading, Session } from './answers';
import { Read, reportQuestion, sessions, workerOf } from './open-profile.svelte';

const session = (id: string, more: Partial<Session> = {}): Session =>
  ({ id, name: id, has_steps: true, workers: [], ...more }) as unknown as Session;
const worker = (name: string, problem: string | null = null): Session['workers'][number] =>
  ({ worker: name, problem }) as unknown as Session['workers'][number];

beforeEach(() => Object.assign(view, defaultView()));
afterEach(() => {
  Object.assign(view, defaultView());
  Object.assign(sessions, { list: null, problem: null });
  vi.unstubAllGlobals();
});

describe('the list of sessions', () => {
  it('is the same object while nothing changed', async () => {
    let list = [session('a')];
    serve(() => JSON.stringify({ sessions: list }));
    await sessions.refresh();
    const before = sessions.list;
    await sessions.refresh();
    expect(sessions.list).toBe(before);
    list = [session('b'), session('a')];
    await sessions.refresh();
    expect(sessions.list?.map(({ id }) => id)).toEqual(['b', 'a']);
  });

  it('says why there is none, and keeps what it has', async () => {
    serve(() => refusal('No disk.'));
    await sessions.refresh();
    expect(sessions.problem).toBe('No disk.');
    sessions.list = [session('a')];
    sessions.problem = null;
    await sessions.refresh();
    expect([sessions.list?.length, sessions.problem]).toEqual([1, null]);
  });

  it('is fetched again when the runs change', async () => {
    const asked = serve(() => JSON.stringify({ sessions: [] }));
    const stop = $effect.root(() => sessions.follow());
    flushSync();
    folder.runs = [...folder.runs];
    flushSync();
    stop();
    await vi.waitFor(() => expect(asked).toHaveLength(2));
  });

  it('chooses what the address names, else the newest with steps', () => {
    sessions.list = [session('memory', { has_steps: false }), session('b'), session('a')];
    expect(sessions.chosen?.id).toBe('b');
    view.profile.session = 'a';
    expect(sessions.chosen?.id).toBe('a');
    view.profile.session = 'gone';
    expect(sessions.chosen?.id).toBe('b');
    sessions.list = [session('memory', { has_steps: false })];
    expect(sessions.chosen?.id).toBe('memory');
  });
});

it('looks at the chosen worker, else at the first that can be read', () => {
  expect(workerOf(session('a', { workers: [worker('w0', 'cut short'), worker('w1')] }))).toBe('w1');
  expect(workerOf(session('a', { workers: [worker('w0', 'cut short')] }))).toBe('w0');
  expect(workerOf(session('a'))).toBe('');
  view.profile.worker = 'w0';
  expect(workerOf(session('a', { workers: [worker('w1')] }))).toBe('w0');
});

it('asks for the overview with what the user knows', () => {
  Object.assign(view.profile, { stepsBy: 'train', stepMs: 8, batch: 32, tokens: null });
  expect(reportQuestion(session('a'))).toEqual({ session: 'a', steps: 'train', step_ms: 8, batch: 32, tokens: null });
});

describe('a read', () => {
  interface Pending {
    question: { session: string; range?: string };
    signal: AbortSignal;
    progress: (reading: Reading) => void;
    resolve: (value: string) => void;
    reject: (reason: unknown) => void;
  }
  const pending: Pending[] = [];
  const read = new Read<string, { session: string; range?: string }>(
    (question, signal, progress) =>
      new Promise((resolve, reject) => pending.push({ question, signal, progress, resolve, reject })),
  );
  const last = (): Pending => pending[pending.length - 1] as Pending;
  const settle = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve));

  beforeEach(() => {
    pending.length = 0;
    read.stop();
    read.forget();
  });

  it('shows how far it has come, and then the answer, of the range of the page', async () => {
    view.profile.range = '2:4';
    read.start({ session: 'a' });
    expect(last().question).toEqual({ session: 'a', range: '2:4' });
    const progress = { done: 1 } as unknown as Reading;
    last().progress(progress);
    expect(read.shown).toEqual({ state: 'reading', progress });
    last().resolve('answer');
    await settle();
    expect(read.shown).toEqual({ state: 'ready', value: 'answer' });
    read.start({ session: 'a', range: '' });
    expect(last().question.range).toBe('');
  });

  it('keeps the answer while it reads the same again, and drops it for another question', async () => {
    const stop = read.follow({ session: 'a' });
    last().resolve('old');
    await settle();
    void read.again({ session: 'a' });
    expect(read.shown).toEqual({ state: 'ready', value: 'old' });
    last().resolve('new');
    await settle();
    expect(read.shown).toEqual({ state: 'ready', value: 'new' });
    stop();
    read.follow({ session: 'b' });
    expect(read.shown.state).toBe('reading');
  });

  it('leaves out what comes after another question', async () => {
    read.start({ session: 'a' });
    const first = last();
    read.start({ session: 'b' });
    expect(first.signal.aborted).toBe(true);
    last().resolve('right');
    await settle();
    first.resolve('late');
    await settle();
    expect(read.shown).toEqual({ state: 'ready', value: 'right' });
  });

  it('says why there is no answer, and can be tried again or cancelled', async () => {
    read.start({ session: 'a' });
    last().reject(new Error('Cut short.'));
    await settle();
    expect(read.shown).toEqual({ state: 'broken', reason: 'Cut short.' });
    read.retry({ session: 'a' });
    expect(read.shown.state).toBe('reading');
    read.cancel();
    expect([read.shown.state, last().signal.aborted]).toEqual(['cancelled', true]);
    last().reject(new DOMException('', 'AbortError'));
    await settle();
    expect(read.shown.state).toBe('cancelled');
  });
});
