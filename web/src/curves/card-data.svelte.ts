// Loads the curves of one card, keeps the old ones until the new come, and fetches again only what changed.
import { isAbort } from '../api/client';
import { SeriesBatcher } from '../api/batch';
import { fetchGroups, fetchSeries, seriesKey, type GroupPart, type SeriesPart } from '../api/series';
import type { GroupsQuery, SeriesQuery, SeriesRef } from '../api/types';
import type { Changed } from '../state/folder.svelte';

/** All cards share one, so that a screen of them makes few requests. */
const batcher = new SeriesBatcher(fetchSeries);

/** A growing curve is drawn at once when it rested, else at most this often; slow answers make it rarer. */
const REFRESH_MS = 800;
/** Cards that grow are refreshed at the same instants, so that one request serves all of them. */
const TICK_MS = 1000;

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export class CardData {
  parts = $state.raw<ReadonlyMap<string, SeriesPart>>(new Map());
  groups = $state.raw<readonly GroupPart[]>([]);
  loading = $state.raw(false);
  problem = $state.raw<string | null>(null);

  private query: SeriesQuery | null = null;
  private refs: readonly SeriesRef[] = [];
  private groupsQuery: GroupsQuery | null = null;
  private stop = new AbortController();
  private readonly stale = new Set<string>();
  /** What a refresh under way is fetching. */
  private refreshing: ReadonlySet<string> = new Set();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private restUntil = 0;

  /** Loads everything; what is on its way for an older query is given up. */
  async load(query: SeriesQuery, refs: readonly SeriesRef[]): Promise<void> {
    const sameQuery = this.groupsQuery === null && JSON.stringify(query) === JSON.stringify(this.query);
    this.query = query;
    this.refs = refs;
    this.groupsQuery = null;
    this.groups = [];
    // Starting anew gives up a refresh, so what it was for is asked for here.
    const grown = new Set([...this.stale, ...this.refreshing]);
    const signal = this.restart();
    const lacks = (key: string): boolean => !this.parts.has(key) || grown.has(key);
    // Showing one run more asks for that run only.
    const missing = sameQuery ? refs.filter((ref) => lacks(seriesKey(ref.run, ref.tag))) : refs;
    await this.guarded(signal, async () => {
      const found = await batcher.load(query, missing, signal);
      this.parts = sameQuery ? this.merged(found) : found;
    });
  }

  async loadGroups(query: GroupsQuery): Promise<void> {
    this.groupsQuery = query;
    this.parts = new Map();
    const signal = this.restart();
    await this.guarded(signal, async () => {
      this.groups = await fetchGroups(query, signal);
    });
  }

  /** New points came: fetches the curves concerned, soon. */
  changed(changed: Changed): void {
    if (this.groupsQuery !== null) {
      const { tag, groups } = this.groupsQuery;
      const concerned =
        changed === null || groups.some((group) => group.runs.some((run) => changed[run]?.includes(tag) === true));
      if (concerned) this.stale.add('groups');
    } else {
      // Which tags a formula has only the server knows.
      const grew = (run: string, tag: string): boolean =>
        changed === null || (this.query?.formulas === true ? run in changed : changed[run]?.includes(tag) === true);
      for (const { run, tag } of this.refs) if (grew(run, tag)) this.stale.add(seriesKey(run, tag));
    }
    if (this.stale.size === 0) return;
    // A refresh under way looks for what is stale when it ends.
    if (this.restUntil === Infinity) return;
    const wait = Math.max(0, this.restUntil - performance.now());
    this.timer ??= setTimeout(() => void this.refresh(), wait);
  }

  retry(): void {
    if (this.groupsQuery !== null) void this.loadGroups(this.groupsQuery);
    else if (this.query !== null) {
      this.parts = new Map();
      void this.load(this.query, this.refs);
    }
  }

  close(): void {
    this.stop.abort();
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private restart(): AbortSignal {
    this.stop.abort();
    this.stop = new AbortController();
    this.stale.clear();
    return this.stop.signal;
  }

  private async guarded(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    this.loading = true;
    try {
      await work();
      this.problem = null;
    } catch (error) {
      if (!isAbort(error)) this.problem = sentence(error);
    } finally {
      if (!signal.aborted) this.loading = false;
    }
  }

  private async refresh(): Promise<void> {
    this.timer = null;
    const started = performance.now();
    this.restUntil = Infinity;
    const { query, groupsQuery } = this;
    const keys = new Set(this.stale);
    this.refreshing = keys;
    this.stale.clear();
    const { signal } = this.stop;
    try {
      if (groupsQuery !== null) this.groups = await fetchGroups(groupsQuery, signal);
      else if (query !== null) {
        const refs = this.refs.filter((ref) => keys.has(seriesKey(ref.run, ref.tag)));
        this.parts = this.merged(await batcher.load(query, refs, signal));
      }
      this.problem = null;
    } catch (error) {
      // The curves on screen stay; the live feed tells when the server is gone.
      if (!isAbort(error) && this.parts.size === 0) this.problem = sentence(error);
    } finally {
      this.refreshing = new Set();
      const now = performance.now();
      this.restUntil = Math.ceil((now + Math.max(REFRESH_MS, 3 * (now - started))) / TICK_MS) * TICK_MS;
      if (this.stale.size > 0) this.timer ??= setTimeout(() => void this.refresh(), this.restUntil - now);
    }
  }

  /** Keeps what is still wanted and takes the new. */
  private merged(found: ReadonlyMap<string, SeriesPart>): Map<string, SeriesPart> {
    const parts = new Map<string, SeriesPart>();
    for (const { run, tag } of this.refs) {
      const key = seriesKey(run, tag);
      const part = found.get(key) ?? this.parts.get(key);
      if (part !== undefined) parts.set(key, part);
    }
    return parts;
  }
}
