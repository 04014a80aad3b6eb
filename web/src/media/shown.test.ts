// @vitest-environment happy-dom
// Values are those of the pinned step, and are named by tag, run, step and sample.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aRun } from '../runs/fixture';
import { view } from '../state/choices.svelte';
import { folder } from '../state/folder.svelte';
import type { LoggedSteps } from './answers';
import { nameOfRun, notOfPinned, pinnedPlace, shownPlace, valueName } from './shown.svelte';

const steps: LoggedSteps = {
  samples: 1,
  step: Float64Array.of(0, 10, 20),
  wall: Float64Array.of(100, 110, 120),
  origin: 100,
};
const train = aRun('exp/train', { id: 'a1', experiment: 'exp', role: 'train' });
const validation = aRun('exp/validation', { id: 'b2', experiment: 'exp', role: 'validation' });
const other = aRun('other', { id: 'c3' });

beforeEach(() => {
  folder.runs = [train, validation, other];
});
afterEach(() => {
  folder.runs = [];
  view.pinned = null;
  view.x = 'step';
});

describe('the value that is shown', () => {
  it('is the newest, or that of the pin; of a range that of its end', () => {
    expect([pinnedPlace(), shownPlace(steps)]).toEqual([null, 2]);
    view.pinned = 12;
    expect([pinnedPlace(), shownPlace(steps)]).toEqual([12, 1]);
    view.pinned = [0, 5];
    expect([pinnedPlace(), shownPlace(steps)]).toEqual([5, 0]);
  });

  it('follows the axis of the charts', () => {
    view.x = 'relative';
    view.pinned = 15;
    expect(shownPlace(steps)).toBe(1);
    expect(notOfPinned(3)).toBeNull();
  });
});

it('is told where it is of another step', () => {
  view.pinned = 12;
  expect(notOfPinned(10)?.wanted).toBe('12');
  expect(notOfPinned(12)).toBeNull();
  view.pinned = null;
  expect(notOfPinned(10)).toBeNull();
});

it('has a name of its tag, run, step and sample', () => {
  expect(valueName('image', 'c3', steps, 1)).toBe('image, other, step 10');
  expect(valueName('image', 'c3', { ...steps, samples: 3 }, 1, 1)).toBe('image, other, step 10, sample 2 of 3');
  expect(valueName('image', 'c3', undefined, -1)).toBe('image, other, step ');
  view.pinned = 12;
  expect(valueName('image', 'c3', steps, 1)).toMatch(/^image, other, step 10\. .*12/);
});

it('names runs as the list does, and their role where an experiment has several', () => {
  expect([nameOfRun('a1'), nameOfRun('b2'), nameOfRun('c3')]).toEqual(['exp · train', 'exp · validation', 'other']);
  expect(nameOfRun('unknown')).toBe('unknown');
});
