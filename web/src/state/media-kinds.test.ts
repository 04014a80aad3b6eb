// A tab draws tags of its kinds alone.
import { expect, it } from 'vitest';
import { kindsOfTab, MEDIA_KINDS } from './media-kinds';

it('knows the kinds of each tab', () => {
  expect(kindsOfTab('scalars', 'images')).toEqual(['scalar']);
  expect(kindsOfTab('table', '')).toEqual(['scalar']);
  expect(kindsOfTab('media', 'pr_curves')).toEqual(['pr_curve']);
  expect(kindsOfTab('media', '')).toEqual(MEDIA_KINDS);
  expect(kindsOfTab('media', 'unknown')).toEqual(MEDIA_KINDS);
});
