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
    this.gather();
  }

  /** Forgets the cards that a filter has taken away; those only scrolled out of sight still count. */
  keep(cards: ReadonlySet<string>): void {
    const gone = [...this.cards.keys()].filter((card) => !cards.has(card));
    for (const card of gone) this.cards.delete(card);
    // Until the cards that are left have data, the old extent is better than none.
    if (gone.length > 0 && this.cards.size > 0) this.gather();
  }

  private gather(): void {
    const all = [...this.cards.values()];
    const low = Math.min(...all.map((one) => one.x[0]));
    const high = Math.max(...all.map((one) => one.x[1]));
    this.extent = Number.isFinite(low) && Number.isFinite(high) ? [low, high] : null;
    this.restarts = [...new Set(all.flatMap((one) => one.restarts))].sort((a, b) => a - b).slice(0, 200);
  }
}

export const ruler = new RulerState();
