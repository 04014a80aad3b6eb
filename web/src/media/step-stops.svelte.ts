// The steps at which shown values were logged, and the one that all of them show: a slider, keys and the ruler move it.
import { untrack } from 'svelte';
import { view } from '../state/choices.svelte';
import { ruler } from '../state/cursor.svelte';
import { stopOfKey } from './keys';
import { pinnedPlace } from './shown.svelte';
import { mergePlaces, pinOf, placeAt } from './steps';

/** To be made while a component is made; `what` names its extent on the ruler. */
export class StepStops {
  readonly places: Float64Array = $derived.by(() => mergePlaces(this.placesOf()));
  /** The place that is shown, in `places`. */
  readonly shown: number = $derived(placeAt(this.places, pinnedPlace()));

  constructor(
    what: string,
    private readonly placesOf: () => Float64Array[],
  ) {
    $effect(() => {
      const { places } = this;
      const ends: [number, number] = [places[0] ?? 0, places[places.length - 1] ?? 0];
      untrack(() => {
        ruler.keep(new Set([what]));
        // One step alone has no extent to draw a ruler of.
        ruler.report(what, ends[0] === ends[1] ? null : { x: ends, restarts: [] });
      });
    });
    $effect(() => () => ruler.report(what, null));
  }

  goTo(place: number): void {
    view.pinned = pinOf(this.places, place);
  }

  key(event: KeyboardEvent): void {
    const next = stopOfKey(event, this.shown, this.places.length - 1);
    if (next === null) return;
    event.preventDefault();
    this.goTo(next);
  }
}
