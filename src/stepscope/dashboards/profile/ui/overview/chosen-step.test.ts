// @vitest-environment happy-dom
// One step is the range of the tab where a server can answer for it, and the step of the bar in a saved file.
import { beforeEach, expect, it } from 'vitest';
import { view } from '$web/state/choices.svelte';
import { defaultView } from '$web/state/view';
import { chooseStep, chosenStep, stepOfRange, stepRange } from './chosen-step';
import type { ServerActions } from './server-actions';

beforeEach(() => Object.assign(view, defaultView()));

it('tells one step from other ranges', () => {
  expect(stepOfRange(stepRange(7))).toBe(7);
  expect(['7:9', '7:', 'typical', '1ms:2ms', ''].map(stepOfRange)).toEqual([null, null, null, null, null]);
});

it('chooses a range with a server', () => {
  const ranges: string[] = [];
  const server = { chooseRange: (range: string) => void ranges.push((view.profile.range = range)) } as ServerActions;
  chooseStep(server, 7);
  expect([chosenStep(server), view.profile.step]).toEqual([7, null]);
  chooseStep(server, null);
  expect(ranges).toEqual(['7:8', '']);
});

it('chooses a step of the file without one', () => {
  chooseStep(undefined, 7);
  expect([chosenStep(undefined), view.profile.range]).toEqual([7, '']);
});
