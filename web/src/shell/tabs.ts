// The tabs of the top bar: which there are, what draws them, and how to fill those that are empty.
import type { Component } from 'svelte';
import type { Folder } from '../api/types';
import { MEDIA_KINDS } from '../state/media-kinds';
import { defaultOf, type OnDemand } from '../widgets/on-demand.svelte';
import { dashboardOf, isMedia } from './dashboards';

export interface Tab {
  id: string;
  label: string;
  hasData: boolean;
  /** How to get data into it. */
  hint: string;
  /** The TensorBoard plugin that draws it, and why it cannot. */
  plugin?: string;
  problem?: string;
}

/** Tags of these kinds are a tab's data, also before it has a dashboard of its own. */
const KINDS: Readonly<Record<string, readonly string[]>> = { media: MEDIA_KINDS, graphs: ['graph'] };

/** Tabs that show one profile, graph, embedding or query: neither the shown runs nor a step of training changes them. */
const ON_THEIR_OWN: readonly string[] = ['profile', 'graphs', 'projector', 'query'];

/** Whether the run list stands beside a tab and the step ruler below it. The table is that list, and shows last values. */
export const hasRunsAndSteps = (id: string): boolean => id !== 'table' && !ON_THEIR_OWN.includes(id);

export const pluginFrame = defaultOf(() => import('./PluginFrame.svelte'));

const media = defaultOf<Component>(() => import('./Media.svelte'));

export function componentOf(id: string): OnDemand<Component> | undefined {
  return id === 'media' ? media : isMedia(id) ? undefined : dashboardOf(id);
}

const ALWAYS: readonly Tab[] = [
  { id: 'scalars', label: 'Charts', hasData: false, hint: 'Log scalars with writer.add_scalar("loss", value, step).' },
  {
    id: 'media',
    label: 'Media',
    hasData: false,
    hint: 'Log images, audio, text or histograms, for example with writer.add_image.',
  },
  {
    id: 'table',
    label: 'Table',
    hasData: false,
    hint: 'All runs with their values. Log scalars to fill it.',
  },
  {
    id: 'profile',
    label: 'Profile',
    hasData: false,
    hint: 'Capture a profile into the log folder, for example with torch.profiler or jax.profiler.',
  },
  { id: 'graphs', label: 'Graphs', hasData: false, hint: 'Log a model graph, for example with writer.add_graph.' },
];

/** The table is the run list at full width, so it has data whenever there are runs. */
export function tabsOf(folder: Folder | null, tags: readonly { kind: string }[] = []): Tab[] {
  const told = new Map((folder?.tabs ?? []).map((tab) => [tab.id, tab]));
  const tabs = ALWAYS.map((tab) => {
    const logged = tags.some((tag) => KINDS[tab.id]?.includes(tag.kind) === true);
    const hasData = tab.id === 'table' ? (folder?.runs ?? 0) > 0 : (told.get(tab.id)?.has_data ?? logged);
    const label = told.get(tab.id)?.label ?? tab.label;
    told.delete(tab.id);
    return { ...tab, label, hasData };
  });
  for (const { id, label, has_data: hasData, plugin, problem } of told.values()) {
    if (isMedia(id)) continue;
    const hint = `No run has ${label} data.`;
    tabs.push(plugin ? { id, label, hasData, hint, plugin, problem } : { id, label, hasData, hint });
  }
  return tabs;
}

/** The bar has the first five, those of the rest that have data, and the one that is open; the others are behind "More". */
export function inBar(tabs: readonly Tab[], open: string): { bar: Tab[]; more: Tab[] } {
  const bar = tabs.filter((tab, place) => place < ALWAYS.length || tab.hasData || tab.id === open);
  return { bar, more: tabs.filter((tab) => !bar.includes(tab)) };
}
