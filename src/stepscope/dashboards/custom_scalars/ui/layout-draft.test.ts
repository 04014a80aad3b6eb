// The layout that is edited is one for the page, so that it outlives its tab.
import { afterEach, expect, it } from 'vitest';
import { layoutDraft } from './layout-draft.svelte';

afterEach(() => {
  layoutDraft.categories = null;
});

it('is nothing until something is edited, and then the same for all', async () => {
  expect(layoutDraft.categories).toBeNull();
  layoutDraft.categories = [{ title: 'Losses', charts: [], closed: false }];
  for (const category of layoutDraft.categories) category.title = 'All losses';
  const again = await import('./layout-draft.svelte');
  expect(again.layoutDraft.categories?.map(({ title }) => title)).toEqual(['All losses']);
});
