// Parts of Media, and the kinds of tags that tabs draw.
import { expect, it } from 'vitest';
import { kindsOfTab, MEDIA, MEDIA_KINDS } from './media-kinds';

it('gives each part one kind of its own', () => {
  expect(new Set(MEDIA.map(({ id }) => id)).size).toBe(MEDIA.length);
  expect(new Set(MEDIA_KINDS).size).toBe(MEDIA.length);
});

it.each([
  ['scalars', 'images', ['scalar']],
  ['media', 'audio', ['audio']],
  ['media', 'pr_curves', ['pr_curve']],
  ['media', '', [...MEDIA_KINDS]],
  ['media', 'no such part', [...MEDIA_KINDS]],
])('draws in %s, %s: %j', (tab, part, kinds) => expect(kindsOfTab(tab, part)).toEqual(kinds));
