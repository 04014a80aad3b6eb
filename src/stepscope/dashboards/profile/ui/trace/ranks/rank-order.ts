// Ranks in the order in which they are listed, and where each is on the time axis of all.
import type { TraceRank, TraceRanks } from '$api';
import type { Window } from '../window';

/** Pixels of a rank's row. */
export const ROW = 20;

export const RANK_ORDERS = [
  { by: '', label: 'Rank' },
  { by: 'slow', label: 'Slowest first' },
  { by: 'host', label: 'Host' },
] as const;

/** By rank as the server lists them, by their own step time, or by host and then by rank. */
export function inOrder(ranks: readonly TraceRank[], by: string): readonly TraceRank[] {
  if (by === 'slow')
    // A rank whose file is damaged is compared with no other one.
    return ranks.toSorted((one, other) => Number(one.damaged) - Number(other.damaged) || other.own_us - one.own_us);
  if (by === 'host')
    return ranks.toSorted((one, other) => (one.host < other.host ? -1 : one.host > other.host ? 1 : 0));
  return ranks;
}

/** The rank to mark, and why: the one that the others wait for, else the one with the longest steps. */
export function stragglerOf({ waited_for, slowest }: TraceRanks): { worker: string; why: string } | null {
  if (waited_for !== '') return { worker: waited_for, why: 'others wait' };
  return slowest === '' ? null : { worker: slowest, why: 'slowest' };
}

/** Whether the clocks could be aligned, so that there is a choice. */
export const canAlign = ({ ranks }: TraceRanks): boolean => ranks.some(({ aligned_us }) => aligned_us !== null);

/** When a rank's profile starts on the axis. */
export const startOf = (rank: TraceRank, recorded: boolean): number =>
  recorded ? rank.recorded_us : (rank.aligned_us ?? rank.recorded_us);

/** From the first start to the last end. */
export function extentOf(ranks: readonly TraceRank[], recorded: boolean): Window {
  let [first, last] = [Infinity, -Infinity];
  for (const rank of ranks) {
    const start = startOf(rank, recorded);
    first = Math.min(first, start);
    last = Math.max(last, start + rank.end_us);
  }
  return first < last ? [first, last] : [0, 1];
}

/** Places of the rows that have a pixel between two heights. */
export function rowsShown(count: number, top: number, height: number): [first: number, last: number] {
  const first = Math.max(0, Math.min(count, Math.floor(top / ROW)));
  return [first, Math.max(first, Math.min(count, Math.ceil((top + height) / ROW)))];
}
