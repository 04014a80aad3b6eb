// The range of values that the track of a counter shows from its bottom to its top.
import { value } from '$web/widgets/format';
import type { TraceTrack } from './track-rows';

/** Part of the largest value. A counter that moves within less, far from zero, would be a flat line above zero. */
const FLAT = 0.5;

/** From zero, or from the smallest to the largest sample where that shows more. */
export function counterRange({ least, most }: Pick<TraceTrack, 'least' | 'most'>): [low: number, high: number] {
  if (least === null || most === null) return [0, 1];
  const farthest = Math.max(Math.abs(least), Math.abs(most));
  if (least * most > 0 && most > least && most - least < FLAT * farthest) return [least, most];
  const [low, high] = [Math.min(0, least), Math.max(0, most)];
  return high > low ? [low, high] : [0, 1];
}

export const rangeText = (track: Pick<TraceTrack, 'least' | 'most'>): string =>
  counterRange(track).map(value).join(' – ');
