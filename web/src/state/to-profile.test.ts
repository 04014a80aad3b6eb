// @vitest-environment happy-dom
// The chosen profile is opened at its overview, without what was chosen in another.
import { expect, it } from 'vitest';
import { view } from './choices.svelte';
import { toProfile } from './to-profile';

it('opens the profile and forgets what was looked at of another', () => {
  view.profile = { ...view.profile, session: 'old', worker: '3', step: 7, show: 'kernels', range: 'steps:1..2' };
  toProfile('new');
  expect(view.tab).toBe('profile');
  expect(view.profile).toMatchObject({ session: 'new', worker: '', step: null, show: 'report', range: '' });
  toProfile('new', 42);
  expect(view.profile).toMatchObject({ session: 'new', step: 42, range: '' });
});
