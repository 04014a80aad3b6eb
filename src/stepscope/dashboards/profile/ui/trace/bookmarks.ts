// Bookmarks: named windows of the trace, which are part of the address.
import type { Bookmark } from '$web/state/view';
import { inNanoseconds, type Window } from './window';

export const MOST_BOOKMARKS = 50;
export const LONGEST_NAME = 100;

/** A bookmark of a window under a name that none has yet; the oldest goes when there are too many. */
export function withBookmark(bookmarks: readonly Bookmark[], window: Window, wanted: string): Bookmark[] {
  const taken = new Set(bookmarks.map(({ name }) => name));
  const base = wanted.trim().slice(0, LONGEST_NAME) || 'Bookmark';
  let name = wanted.trim() === '' ? `${base} 1` : base;
  for (let number = 2; taken.has(name); number += 1) name = `${base} ${number}`;
  return [...bookmarks, { window: inNanoseconds(window), name }].slice(-MOST_BOOKMARKS);
}

export function renamed(bookmarks: readonly Bookmark[], place: number, name: string): Bookmark[] {
  return bookmarks.map((one, at) =>
    at === place ? { ...one, name: name.trim().slice(0, LONGEST_NAME) || one.name } : one,
  );
}
