// The cursor that all charts share: where the pointer is, which run is bright, and the whole extent of x.
import { view } from './choices.svelte';
import type { Range } from './view';

class Cursor {
  /** In units of x; null while the pointer is nowhere. */
  x = $state.raw<number | null>(null);
  /** The run that is bright in every chart and in the list. */
  run = $state.raw<string | null>(null);

  clear(): void {
    this.x = null;
    this.run = null;
  }
}

export const cursor = new Cursor();

interface CardExtent {
  x: Range;
  /** x of the first point after each restart. */
  restarts: readonly number[];
}

/** What the step ruler shows, gathered from the charts that have data. */
class RulerState {
  extent = $state.raw<Range | null>(null);
  restarts = $state.raw<readonly number[]>([]);
  private readonly cards = new Map<string, CardExtent>();
  private axis = '';

  report(card: string, extent: CardExtent | null): void {
    const axis = `${view.x} ${view.xTag}`;
    if (axis !== this.axis) {
      this.cards.clear();
      this.axis = axis;
    }
    if (extent === null) this.cards.delete(card);
    else this.cards.set(card, extent);
    const all = [...this.cards.values()];
    const low = Math.min(...all.map((one) => one.x[0]));
    const high = Math.max(...all.map((one) => one.x[1]));
    this.extent = Number.isFinite(low) && Number.isFinite(high) ? [low, high] : null;
    this.restarts = [...new Set(all.flatMap((one) => one.restarts))].sort((a, b) => a - b).slice(0, 200);
  }
}

export const ruler = new RulerState();
