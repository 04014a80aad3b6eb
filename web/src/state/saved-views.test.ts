// Saved views survive storage, replace one another by name, and no storage breaks the page.
import { expect, it } from 'vitest';
import { keepViews, loadViews, withoutView, withView, type SavedView } from './saved-views';

const view = (name: string, address = '#scalars', folder = '/logs'): SavedView => ({ name, folder, address });

it('is stored and read back', () => {
  const kept = new Map<string, string>();
  expect(keepViews({ setItem: (key, value) => kept.set(key, value) }, [view('a'), view('b')])).toBe(true);
  expect(loadViews({ getItem: (key) => kept.get(key) ?? null })).toEqual([view('a'), view('b')]);
});

it.each(['', 'null', '{}', '[1, null, {"name": "a"}]', 'no json'])('takes %s for nothing', (stored) => {
  expect(loadViews({ getItem: () => stored })).toEqual([]);
});

it('says when nothing could be kept', () => {
  const full = (): void => {
    throw new Error('full');
  };
  expect(keepViews({ setItem: full }, [])).toBe(false);
});

it('has one view of a name in each folder', () => {
  const views = withView([view('a'), view('a', '#scalars', '/other')], view('a', '#table'));
  expect(views).toEqual([view('a', '#scalars', '/other'), view('a', '#table')]);
  expect(withoutView(views, { name: 'a', folder: '/logs' })).toEqual([view('a', '#scalars', '/other')]);
});
