// Goes to where tags of a dashboard are shown, with one of them alone.
import { view } from '../state/choices.svelte';
import { isMedia } from './dashboards';

export function showTag(dashboard: string, tag: string): void {
  view.tab = isMedia(dashboard) ? 'media' : dashboard;
  if (isMedia(dashboard)) view.media = dashboard;
  view.filter = `^${tag.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
}
