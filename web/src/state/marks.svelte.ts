// Epochs, checkpoints, images, texts and profiles of the shown runs, for the ruler and the inspector.
import type { RunMark } from '$api';
import { isAbort, postJson } from '../api/client';
import { view } from './choices.svelte';
import { folder } from './folder.svelte';
import { runs } from './runs.svelte';
import { throttled } from './throttle';

/** Marks of live runs come seldom. */
const PAUSE_MS = 10_000;
export const MOST_MARKED = 200;

class Marks {
  list = $state.raw<readonly RunMark[]>([]);
  private asked = '';

  /** Follows the shown runs; returns how to stop. */
  follow(): () => void {
    const later = throttled(() => this.load(), PAUSE_MS);
    const stopFollowing = folder.onChange(() => later());
    const stop = $effect.root(() => {
      $effect(() => {
        const wanted = `${view.fold} ${[...runs.visible].slice(0, MOST_MARKED).join(' ')} ${folder.folder?.profiles ?? 0}`;
        if (!folder.ready || wanted === this.asked) return;
        this.asked = wanted;
        void this.load();
      });
    });
    return () => {
      stop();
      stopFollowing();
    };
  }

  private async load(): Promise<void> {
    const shown = [...runs.visible].slice(0, MOST_MARKED);
    try {
      this.list = shown.length === 0 ? [] : (await postJson('marks', { runs: shown, fold: view.fold })).marks;
    } catch (error) {
      // The ruler does without; what the server says about it stands elsewhere on the page.
      if (!isAbort(error)) this.list = [];
    }
  }
}

export const marks = new Marks();
