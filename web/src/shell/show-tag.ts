// Goes to where tags of a dashboard are shown, with one of them alone; whoever goes on has the filter of before again.
import { view } from '../state/choices.svelte';
import { isMedia } from './dashboards';

let left: { place: string; filter: string; before: string } | null = null;
const placeNow = (): string => (view.tab === 'media' ? `media ${view.media}` : view.tab);

export function showTag(dashboard: string, tag: string): void {
  const before = left !== null && view.filter === left.filter ? left.before : view.filter;
  view.tab = isMedia(dashboard) ? 'media' : dashboard;
  if (isMedia(dashboard)) view.media = dashboard;
  view.filter = `^${tag.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
  left = { place: placeNow(), filter: view.filter, before };
}

/** To be called when another tab or another part of Media is opened: one tag's filter means nothing there. */
export function leaveTag(): void {
  if (left === null || left.place === placeNow()) return;
  if (view.filter === left.filter) view.filter = left.before;
  left = null;
}
