// The components of dashboards, found by the names of their folders, and which of them the tab Media holds.
import type { Component } from 'svelte';
import type { Folder } from '../api/types';
import { MEDIA } from '../state/media-kinds';
import type { View } from '../state/view';
import { defaultOf, type OnDemand } from '../widgets/on-demand.svelte';

const found = import.meta.glob<{ default: Component }>('../../../src/stepscope/dashboards/*/ui/Tab.svelte');
const components = new Map(Object.entries(found).map(([path, load]) => [path, defaultOf(load)]));

type Ahead = (shown: View) => Promise<void>;
const aheads = import.meta.glob<Ahead>('../../../src/stepscope/dashboards/*/ui/ahead.ts', {
  eager: true,
  import: 'default',
});

/** Asks for what the tab of a dashboard shows first, while its code is still loading; what fails is asked for again by the tab. */
export function askAheadOf(id: string, shown: View): void {
  aheads[`../../../src/stepscope/dashboards/${id}/ui/ahead.ts`]?.(shown).catch(() => undefined);
}

export function dashboardOf(id: string): OnDemand<Component> | undefined {
  return components.get(`../../../src/stepscope/dashboards/${id}/ui/Tab.svelte`);
}

export interface MediaPart {
  /** As the address and the server call it. */
  id: string;
  label: string;
  hasData: boolean;
}

/** The part of Media that shows tags of a kind. */
export const mediaOfKind = (kind: string): string | undefined => MEDIA.find((part) => part.kind === kind)?.id;
export const isMedia = (id: string): boolean => MEDIA.some((part) => part.id === id);

/** Those that there is a component for; what the server does not speak of yet has no data. */
export function mediaParts(folder: Folder | null): MediaPart[] {
  const told = new Map((folder?.tabs ?? []).map((tab) => [tab.id, tab]));
  return MEDIA.filter(({ id }) => dashboardOf(id) !== undefined).map(({ id, label }) => ({
    id,
    label: told.get(id)?.label ?? label,
    hasData: told.get(id)?.has_data ?? false,
  }));
}

/** The part to show: the one asked for, else the first with data, else the first. */
export function mediaPart(parts: readonly MediaPart[], asked: string): MediaPart | undefined {
  return parts.find(({ id }) => id === asked) ?? parts.find(({ hasData }) => hasData) ?? parts[0];
}
