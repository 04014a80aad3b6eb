// What the page knows of one kind of logged values: the tags and runs that have them, and the steps of those that were on screen.
import type { SeriesRef } from '../api/types';
import { view } from '../state/choices.svelte';
import { folder, type Changed } from '../state/folder.svelte';
import { throttled } from '../state/throttle';
import { fetchSteps, fetchTags, seriesKey, type LoggedSteps, type LoggedTag, type MediaName } from './answers';

const PAUSE_MS = 1000;
const AT_ONCE = 100;

export class LoggedLibrary {
  /** Null until the first list has come. */
  tags = $state.raw<readonly LoggedTag[] | null>(null);
  problem = $state.raw<string | null>(null);
  steps = $state.raw<ReadonlyMap<string, LoggedSteps>>(new Map());
  private readonly asked = new Map<string, SeriesRef>();
  private readonly stale = new Set<string>();
  private readonly loadSoon = throttled(() => this.load(), PAUSE_MS);

  constructor(readonly media: MediaName) {}

  /** Keeps up with the folder while the tab is open; to be called while a component is made. */
  follow(): void {
    $effect(() => {
      void view.fold;
      this.asked.clear();
      this.steps = new Map();
      void this.load();
      return folder.onChange((changed) => this.change(changed));
    });
  }

  of(series: SeriesRef): LoggedSteps | undefined {
    return this.steps.get(seriesKey(series));
  }

  /** Asks for the steps of series that are not known yet. */
  want(series: readonly SeriesRef[]): void {
    const unknown = series.filter((one) => !this.asked.has(seriesKey(one)));
    for (const one of unknown) this.asked.set(seriesKey(one), one);
    void this.ask(unknown);
  }

  private change(changed: Changed): void {
    for (const [key, { run, tag }] of this.asked) {
      if (changed === null || changed[run]?.includes(tag) === true) this.stale.add(key);
    }
    this.loadSoon();
  }

  private async load(): Promise<void> {
    const again = [...this.stale].map((key) => this.asked.get(key)).filter((one) => one !== undefined);
    this.stale.clear();
    try {
      this.tags = await fetchTags(this.media, view.fold);
      this.problem = null;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
    await this.ask(again);
  }

  private async ask(series: readonly SeriesRef[]): Promise<void> {
    const { fold } = view;
    for (let start = 0; start < series.length; start += AT_ONCE) {
      const part = series.slice(start, start + AT_ONCE);
      try {
        const found = await fetchSteps(this.media, part, fold);
        if (fold === view.fold) this.steps = new Map([...this.steps, ...found]);
      } catch (error) {
        // Asked for again when they are next on screen, or when the server has something new.
        for (const one of part) this.asked.delete(seriesKey(one));
        this.problem = error instanceof Error ? error.message : String(error);
      }
    }
  }
}
