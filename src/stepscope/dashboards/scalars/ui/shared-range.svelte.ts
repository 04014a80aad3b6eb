// One y range for all cards of a section, gathered from the cards on screen.
import type { Range } from '$web/state/view';

class SharedRanges {
  private ranges = $state.raw<ReadonlyMap<string, ReadonlyMap<string, Range>>>(new Map());

  report(section: string, card: string, range: Readonly<Range> | null): void {
    const before = this.ranges.get(section)?.get(card);
    if (range === null ? before === undefined : before?.[0] === range[0] && before[1] === range[1]) return;
    const cards = new Map(this.ranges.get(section));
    if (range === null) cards.delete(card);
    else cards.set(card, [range[0], range[1]]);
    this.ranges = new Map(this.ranges).set(section, cards);
  }

  of(section: string): Range | null {
    const all = [...(this.ranges.get(section)?.values() ?? [])];
    if (all.length === 0) return null;
    return [Math.min(...all.map(([low]) => low)), Math.max(...all.map(([, high]) => high))];
  }
}

export const sharedRanges = new SharedRanges();
