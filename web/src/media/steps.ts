// Finds the value that belongs to a place on the shared x, and the places that a slider stops at.
import type { XAxisName } from '../api/types';
import type { Range } from '../state/view';
import type { LoggedSteps } from './answers';

/** Where a series' values stand on x; another tag's values are no axis here, so steps stand in. */
export function placesOnX(series: LoggedSteps, x: XAxisName): Float64Array {
  if (x === 'wall') return series.wall;
  return x === 'relative' ? series.wall.map((wall) => wall - series.origin) : series.step;
}

/** The last value at or before `at`; the first when all come later, the newest when there is no `at`. -1 for no values. */
export function placeAt(places: Float64Array, at: number | null): number {
  if (at === null) return places.length - 1;
  let found = -1;
  let best = -Infinity;
  // A run that was restarted has wall times in any order, so that all must be looked at.
  for (let i = 0; i < places.length; i++) {
    const place = places[i] ?? NaN;
    if (place <= at && place >= best) [found, best] = [i, place];
  }
  return found === -1 && places.length > 0 ? 0 : found;
}

/** All places of all series in order, each once. */
export function mergePlaces(lists: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, list) => sum + list.length, 0));
  let end = 0;
  for (const list of lists) {
    all.set(list, end);
    end += list.length;
  }
  return all.sort().filter((place, i, sorted) => Number.isFinite(place) && (i === 0 || place !== sorted[i - 1]));
}

/** What to pin for a stop of the slider; the last stop follows the newest values instead. */
export function pinOf(stops: Float64Array, stop: number): number | null {
  return stop >= stops.length - 1 ? null : (stops[Math.max(0, stop)] ?? null);
}

/** The stop that is closest to `at`, of two as close the later; -1 when there is none. */
export function nearestStop(stops: Float64Array, at: number): number {
  let found = -1;
  let least = Infinity;
  stops.forEach((stop, i) => {
    const away = Math.abs(stop - at);
    if (away <= least) [found, least] = [i, away];
  });
  return found;
}

/** Which step is pinned where another one is shown, and that as a sentence; null when it belongs there. */
export function otherStep(
  step: number,
  pinned: number | Range,
  write: (step: number) => string,
): { wanted: string; sentence: string } | null {
  const [low, high] = typeof pinned === 'number' ? [pinned, pinned] : pinned;
  if (low <= step && step <= high) return null;
  const wanted = low === high ? write(low) : `${write(low)} to ${write(high)}`;
  const near = `Showing the ${step < low ? 'nearest earlier' : 'first later'} step, ${write(step)}.`;
  return { wanted, sentence: `Nothing was logged at step ${wanted}. ${near}` };
}
