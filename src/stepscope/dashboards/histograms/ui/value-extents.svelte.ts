// Which values the histograms of a tag have over all shown runs: cards of one tag share their axis, so that they compare by eye.

export type Extent = readonly [number, number];

class ValueExtents {
  private known = $state.raw<ReadonlyMap<string, ReadonlyMap<string, Extent>>>(new Map());

  /** What one run's histograms span by themselves; null when they span nothing. */
  report(tag: string, run: string, extent: Extent | null): void {
    const runs = new Map(this.known.get(tag));
    const before = runs.get(run);
    if (extent === null ? before === undefined : before?.[0] === extent[0] && before[1] === extent[1]) return;
    if (extent === null) runs.delete(run);
    else runs.set(run, extent);
    this.known = new Map([...this.known, [tag, runs]]);
  }

  /** What those of all these runs span; null while none is known. */
  of(tag: string, runs: ReadonlySet<string>): Extent | null {
    return union([...(this.known.get(tag) ?? [])].filter(([run]) => runs.has(run)).map(([, extent]) => extent));
  }
}

export function union(extents: readonly Extent[]): Extent | null {
  if (extents.length === 0) return null;
  return [Math.min(...extents.map(([low]) => low)), Math.max(...extents.map(([, high]) => high))];
}

/** With that share of room beyond the ends; values that are all equal have half of what they are. */
export function padded([low, high]: Extent, share: number): [number, number] {
  const room = high > low ? (high - low) * share : Math.abs(low) / 2 || 0.5;
  return [low - room, high + room];
}

export const valueExtents = new ValueExtents();
