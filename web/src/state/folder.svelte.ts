// What the server has: the folder, its runs and tags, and what changes while the page is open.
import { fetchFolder, fetchRuns, fetchTags, patchRuns } from '../api/client';
import { reloadFolder } from '../api/jobs';
import { LiveFeed, openStream, type Connection } from '../api/live';
import { TagIndex } from '../api/tags';
import type { Delta, Folder, Run, RunPatch } from '../api/types';
import { view } from './choices.svelte';
import { jobs } from './jobs.svelte';
import { messages } from './messages.svelte';
import { throttled } from './throttle';

/** Which series have new points; null means that any may. */
export type Changed = Record<string, string[]> | null;

const LISTS_PAUSE_MS = 1000;

class FolderState {
  // Lists of thousands: never made reactive inside.
  folder = $state.raw<Folder | null>(null);
  runs = $state.raw<readonly Run[]>([]);
  tags = $state.raw(TagIndex.EMPTY);
  connection = $state.raw<Connection>({ state: 'connecting' });
  /** The first lists have come. */
  ready = $state.raw(false);
  /** Why the first lists did not come. */
  problem = $state.raw<string | null>(null);
  /** Newest point of runs that grew since the list was fetched, by run id. */
  grown = $state.raw<ReadonlyMap<string, number>>(new Map());
  paused = $state.raw(false);
  reloading = $state.raw(false);

  private readonly listeners = new Set<(changed: Changed) => void>();
  private readonly feed = new LiveFeed(openStream, {
    hello: (folder) => this.hello(folder),
    delta: (delta) => this.delta(delta),
    jobs: (list) => jobs.take(list),
    connection: (connection) => (this.connection = connection),
  });
  private greeted = false;
  private tagsStale = true;
  private readonly refreshSoon = throttled(() => this.refresh(), LISTS_PAUSE_MS);

  start(): void {
    this.feed.connect();
    $effect.root(() => {
      $effect(() => {
        void view.fold;
        this.tagsStale = true;
        void this.refresh();
      });
    });
  }

  retryNow(): void {
    this.feed.connect();
  }

  onChange(listener: (changed: Changed) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** New data still arrives while paused; it is shown when the pause ends. */
  togglePause(): void {
    this.paused = !this.paused;
    if (!this.paused) this.catchUp();
  }

  async reload(): Promise<void> {
    this.reloading = true;
    try {
      const { state } = await jobs.finished(await reloadFolder());
      if (state !== 'done') return;
      this.folder = await fetchFolder();
      this.catchUp();
      messages.say('Reloaded the log folder.');
    } catch (error) {
      messages.fail(error);
    } finally {
      this.reloading = false;
    }
  }

  /** Keeps what the user typed about a run; the list shows it at once. */
  async patch(ids: readonly string[], patch: RunPatch): Promise<void> {
    const before = this.runs;
    const changed = new Set(ids);
    this.runs = before.map((run) => (changed.has(run.id) ? ({ ...run, ...patch } as Run) : run));
    try {
      await patchRuns(ids, patch);
    } catch (error) {
      this.runs = before;
      messages.fail(error);
    }
  }

  /** Asks for everything again: anything may have changed. */
  catchUp(): void {
    this.tagsStale = true;
    this.refreshSoon();
    this.tell(null);
  }

  private tell(changed: Changed): void {
    for (const listener of this.listeners) listener(changed);
  }

  private hello(folder: Folder): void {
    this.folder = folder;
    void jobs.catchUp();
    // After a gap anything may have changed; the first hello only confirms what start() asks for.
    if (this.greeted && !this.paused) this.catchUp();
    this.greeted = true;
  }

  private delta(delta: Delta): void {
    const { folder } = this;
    if (folder !== null) {
      const { epoch, points, live_runs, newest, loading } = delta;
      this.folder = { ...folder, epoch, points, live_runs, newest, loading };
    }
    if (this.paused) return;
    if (delta.tags_changed) this.tagsStale = true;
    if (delta.runs_changed || delta.tags_changed) this.refreshSoon();
    this.noteGrowth(delta);
    this.tell(delta.changed_all ? null : delta.changed);
  }

  /** Deltas come four times a second and name runs, not times: the folder's newest point is near enough for an age. */
  private noteGrowth({ changed, newest }: Delta): void {
    if (newest === null) return;
    const grown = new Map(this.grown);
    for (const run of Object.keys(changed)) grown.set(run, newest);
    this.grown = grown;
  }

  private async refresh(): Promise<void> {
    const { fold } = view;
    const withTags = this.tagsStale;
    this.tagsStale = false;
    try {
      const [folder, runs, tags] = await Promise.all([
        fetchFolder(),
        fetchRuns(fold),
        withTags ? fetchTags(fold) : Promise.resolve(null),
      ]);
      this.folder = folder;
      this.runs = runs.runs;
      this.grown = new Map();
      if (tags !== null) this.tags = new TagIndex(tags);
      this.ready = true;
      this.problem = null;
    } catch (error) {
      this.tagsStale ||= withTags;
      // With lists on screen the live feed's own notice is enough.
      if (!this.ready) this.problem = error instanceof Error ? error.message : String(error);
    }
  }
}

export const folder = new FolderState();
