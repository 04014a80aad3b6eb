// What a search finds in one trace: the spans in the order of time, and the names that stay bright.
import { view } from '$web/state/choices.svelte';
import type { Parts } from '$api';
import { fetchPart } from '../answers';
import { Read } from '../open-profile.svelte';
import { searchOf } from './search-text';
import type { TileQuestion } from './tiles';

const MOST_HITS = 20_000;

export type Found = Parts['search']['answer'];
export type Hit = Found['rows'][number];

export class SpanSearch {
  private readonly read = new Read(fetchPart('search'));

  /** Null while nothing is searched for, and until the answer has come. */
  readonly found = $derived.by((): Found | null =>
    isSearching() && this.read.shown.state === 'ready' ? this.read.shown.value : null,
  );
  readonly problem = $derived.by((): string | null =>
    isSearching() && this.read.shown.state === 'broken' ? this.read.shown.reason : null,
  );
  /** Names of what was found; null while all are as bright. */
  readonly bright = $derived.by((): ReadonlySet<string> | null =>
    this.found === null ? null : new Set(this.found.names.map(({ name }) => name)),
  );
  readonly starts = $derived.by((): readonly number[] => this.found?.rows.map(({ start_us: start }) => start) ?? []);

  constructor(question: () => TileQuestion) {
    $effect(() => {
      if (!isSearching()) return;
      return this.read.follow({ ...question(), range: '', ...searchOf(view.profile.searched), limit: MOST_HITS });
    });
  }
}

export const isSearching = (): boolean => view.profile.searched.trim() !== '';

/** The place after or before a chosen one, around the end; the first or last where none is chosen. */
export function besideHit(hits: number, chosen: number, forward: boolean): number {
  const next = chosen < 0 ? (forward ? 0 : hits - 1) : chosen + (forward ? 1 : -1);
  return (next + hits) % hits;
}
