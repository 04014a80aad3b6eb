// What a card of one run and tag shows: it asks for its steps, and finds the value that belongs to the shared step.
import { untrack } from 'svelte';
import type { SeriesRef } from '../api/types';
import type { LoggedSteps } from '../media/answers';
import type { LoggedLibrary } from '../media/library.svelte';
import { shownPlace } from '../media/shown.svelte';
import { view } from '../state/choices.svelte';

/** To be made while a component is made; `series` is read anew when it changes. */
export class ShownValue {
  private readonly chosen = $state({ sample: 0 });

  constructor(
    private readonly library: LoggedLibrary,
    private readonly series: () => SeriesRef,
  ) {
    $effect(() => {
      // After a list has come anew, or folders are folded otherwise, what was asked for may be forgotten.
      void [library.tags, view.fold];
      const wanted = series();
      untrack(() => library.want([wanted]));
    });
  }

  get steps(): LoggedSteps | undefined {
    return this.library.of(this.series());
  }

  get place(): number {
    return this.steps === undefined ? -1 : shownPlace(this.steps);
  }

  get sample(): number {
    return Math.min(this.chosen.sample, (this.steps?.samples ?? 1) - 1);
  }

  set sample(sample: number) {
    this.chosen.sample = sample;
  }
}
