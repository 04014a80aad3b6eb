// @vitest-environment happy-dom
// Commands change the view, the preferences and the dialog that is open, and nothing else.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { preferences, view } from '../state/choices.svelte';
import { folder } from '../state/folder.svelte';
import { defaultView } from '../state/view';
import { ACTIONS } from './commands';
import { panels } from './panels.svelte';
import { room } from './room.svelte';

const run = (name: string): void => ACTIONS[name]?.();
function addField(id: string): void {
  document.body.append(Object.assign(document.createElement('input'), { id }));
}

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(view, defaultView());
});
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  vi.restoreAllMocks();
  document.body.replaceChildren();
  Object.assign(view, defaultView());
  Object.assign(room, { narrow: false, listOpen: false });
  Object.assign(preferences, { theme: 'system', listCollapsed: false });
  panels.open = null;
});

it('opens one dialog at a time', () => {
  expect(panels.open).toBeNull();
  for (const name of ['palette', 'help', 'health'] as const) {
    run(name);
    expect(panels.open).toBe(name);
  }
});

describe('smoothing', () => {
  it('goes in steps of its method, and not beyond its ends', () => {
    view.smoothing = { method: 'ema', amount: 0.65 };
    run('smoother');
    expect(view.smoothing.amount).toBe(0.75);
    run('rougher');
    run('rougher');
    expect(view.smoothing.amount).toBe(0.55);
    for (let i = 0; i < 20; i++) run('rougher');
    expect(view.smoothing.amount).toBe(0);
    for (let i = 0; i < 20; i++) run('smoother');
    expect(view.smoothing.amount).toBeLessThan(1);
    view.smoothing = { method: 'median', amount: 11 };
    run('smoother');
    expect(view.smoothing.amount).toBe(21);
  });
});

it('turns on and off, and forgets the zoom', () => {
  const before = [view.logY, view.ignoreOutliers];
  view.zoom = [1, 2];
  for (const name of ['log', 'outliers', 'zoom']) run(name);
  expect([view.logY, view.ignoreOutliers, view.zoom]).toEqual([!before[0], !before[1], null]);
});

it('takes the next theme and comes round', () => {
  preferences.theme = 'system';
  const themes = ['light', 'dark', 'system'].map((wanted) => {
    run('theme');
    return [preferences.theme, wanted];
  });
  for (const [theme, wanted] of themes) expect(theme).toBe(wanted);
});

it('hides the list, or covers a narrow page with it', () => {
  run('list');
  expect(preferences.listCollapsed).toBe(true);
  room.narrow = true;
  run('list');
  expect([room.listOpen, preferences.listCollapsed]).toEqual([true, true]);
});

it('puts the cursor into a field that is there', () => {
  addField('run-search');
  addField('tag-filter');
  preferences.listCollapsed = true;
  run('search');
  expect(preferences.listCollapsed).toBe(false);
  expect(document.activeElement?.id).toBe('run-search');
  run('filter');
  expect(document.activeElement?.id).toBe('tag-filter');
  addField('row-filter');
  run('filter');
  expect(document.activeElement?.id).toBe('row-filter');
});

it('closes the inspector first, and then takes the pin away', () => {
  Object.assign(view, { inspected: 'a', pinned: 3 });
  run('escape');
  expect([view.inspected, view.pinned]).toEqual([null, 3]);
  run('escape');
  expect(view.pinned).toBeNull();
});

it('copies a link to the view', async () => {
  const copied: string[] = [];
  vi.stubGlobal('navigator', { clipboard: { writeText: (text: string) => Promise.resolve(void copied.push(text)) } });
  view.filter = 'loss';
  run('share');
  await vi.advanceTimersByTimeAsync(0);
  vi.unstubAllGlobals();
  expect(copied).toHaveLength(1);
  expect(copied[0]).toContain('loss');
});

it('pauses and reloads the folder', () => {
  const paused = vi.spyOn(folder, 'togglePause').mockImplementation(() => undefined);
  const reloaded = vi.spyOn(folder, 'reload').mockResolvedValue();
  run('pause');
  run('reload');
  expect([paused.mock.calls.length, reloaded.mock.calls.length]).toEqual([1, 1]);
});
