// @vitest-environment happy-dom
// Stops are the steps of everything that is shown; a slider and keys move the pin that all of them follow.
import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { view } from '../state/choices.svelte';
import { ruler } from '../state/cursor.svelte';
import { StepStops } from './step-stops.svelte';

let stop: () => void;
let stops: StepStops;
let lists = $state.raw<Float64Array[]>([]);

beforeEach(() => {
  // Another axis forgets whatever other files have reported to the ruler.
  view.x = 'wall';
  ruler.report('none', null);
  view.x = 'step';
  view.pinned = null;
  lists = [Float64Array.of(0, 10, 20), Float64Array.of(5, 20)];
  stop = $effect.root(() => {
    stops = new StepStops('images', () => lists);
  });
  flushSync();
});
afterEach(() => {
  stop();
  view.pinned = null;
});

const press = (key: string): KeyboardEvent => {
  const event = new KeyboardEvent('keydown', { key, cancelable: true });
  stops.key(event);
  return event;
};

it('has every step once, and shows the newest', () => {
  expect([...stops.places]).toEqual([0, 5, 10, 20]);
  expect(stops.shown).toBe(3);
  lists = [...lists, Float64Array.of(30)];
  expect([stops.places.length, stops.shown]).toEqual([5, 4]);
});

it('pins where it goes, and nothing at the newest', () => {
  stops.goTo(1);
  expect([view.pinned, stops.shown]).toEqual([5, 1]);
  stops.goTo(3);
  expect([view.pinned, stops.shown]).toEqual([null, 3]);
});

it('goes on by keys, and leaves other keys alone', () => {
  expect(press('ArrowLeft').defaultPrevented).toBe(true);
  expect(view.pinned).toBe(10);
  press('Home');
  expect(view.pinned).toBe(0);
  press('ArrowRight');
  expect(view.pinned).toBe(5);
  expect(press('a').defaultPrevented).toBe(false);
  expect(view.pinned).toBe(5);
});

it('gives the ruler its extent, none for one step, and takes it away with the tab', () => {
  expect(ruler.extent).toEqual([0, 20]);
  lists = [Float64Array.of(7)];
  flushSync();
  expect(ruler.extent).toBeNull();
  lists = [Float64Array.of(7, 9)];
  flushSync();
  expect(ruler.extent).toEqual([7, 9]);
  stop();
  expect(ruler.extent).toBeNull();
});
