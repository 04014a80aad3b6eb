// @vitest-environment happy-dom
// One row at a time has its spans listed, and a second click closes the list.
import { expect, it } from 'vitest';
import { view } from '$web/state/choices.svelte';
import { ofEvidence, ofName } from './asked';
import { areShown, closeSpans, showSpans } from './shown-spans';

it('lists the spans of one row at a time, and a second click closes the list', () => {
  const [one, other] = [ofName('fit', 'w'), ofEvidence(3, 'w')];
  showSpans(one);
  view.profile.span = 7;
  expect([areShown(one), areShown(other)]).toEqual([true, false]);
  showSpans(other);
  expect([areShown(one), areShown(other), view.profile.span]).toEqual([false, true, null]);
  showSpans(other);
  expect(view.profile.spans).toBe('');
});

it('closes', () => {
  showSpans(ofName('fit', 'w'));
  closeSpans();
  expect([view.profile.spans, view.profile.span]).toEqual(['', null]);
});
