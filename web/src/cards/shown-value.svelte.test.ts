// @vitest-environment happy-dom
// A card asks its library for the steps of its series, and finds the value at the shared step.
import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SeriesRef } from '../api/types';
import type { LoggedSteps } from '../media/answers';
import { LoggedLibrary } from '../media/library.svelte';
import { view } from '../state/choices.svelte';
import { ShownValue } from './shown-value.svelte';

const steps: LoggedSteps = {
  samples: 3,
  step: Float64Array.of(0, 10, 20),
  wall: Float64Array.of(100, 110, 120),
  origin: 100,
};
let stop: () => void;
let value: ShownValue;
let series = $state.raw<SeriesRef>({ run: 'a', tag: 'image' });
let library: LoggedLibrary;
let wanted: string[];

beforeEach(() => {
  series = { run: 'a', tag: 'image' };
  view.pinned = null;
  wanted = [];
  library = new LoggedLibrary('images');
  library.want = (asked) => void wanted.push(...asked.map(({ run }) => run));
  stop = $effect.root(() => {
    value = new ShownValue(library, () => series);
  });
  flushSync();
});
afterEach(() => {
  stop();
  view.pinned = null;
});

it('asks for its series at once, when it is another, and when the list comes anew', () => {
  expect(wanted).toEqual(['a']);
  series = { run: 'b', tag: 'image' };
  flushSync();
  expect(wanted).toEqual(['a', 'b']);
  library.tags = [];
  flushSync();
  expect(wanted).toEqual(['a', 'b', 'b']);
});

it('is nowhere until the steps have come, and then at the pinned one', () => {
  expect([value.steps, value.place]).toEqual([undefined, -1]);
  library.steps = new Map([['a image', steps]]);
  expect([value.steps, value.place]).toEqual([steps, 2]);
  view.pinned = 12;
  expect(value.place).toBe(1);
});

it('shows a sample that there is', () => {
  value.sample = 7;
  expect(value.sample).toBe(0);
  library.steps = new Map([['a image', steps]]);
  expect(value.sample).toBe(2);
  value.sample = 1;
  expect(value.sample).toBe(1);
});
