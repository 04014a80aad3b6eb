// The order that a user gives the tracks of a process: only those that were moved are written down.

/** Ids in their usual order, with those that were moved first in theirs. */
export function inOrder(usual: readonly number[], moved: readonly number[]): number[] {
  const own = new Set(usual);
  const first = moved.filter((id) => own.has(id));
  const taken = new Set(first);
  return [...first, ...usual.filter((id) => !taken.has(id))];
}

/** A list with an id before another one, or last when that is null; as it was when there is no such place. */
export function putBefore(list: readonly number[], id: number, before: number | null): number[] {
  const others = list.filter((one) => one !== id);
  const place = before === null ? others.length : others.indexOf(before);
  return place < 0 || others.length === list.length
    ? [...list]
    : [...others.slice(0, place), id, ...others.slice(place)];
}

/** A list with an id one place further; as it was at the ends. */
export function putBy(list: readonly number[], id: number, by: 1 | -1): number[] {
  const place = list.indexOf(id);
  if (place < 0 || place + by < 0 || place + by >= list.length) return [...list];
  return putBefore(list, id, (by < 0 ? list[place - 1] : list[place + 2]) ?? null);
}

/** What to write down so that the tracks of a process, which have a usual order, stand as wanted. */
export function writtenOrder(usual: readonly number[], moved: readonly number[], wanted: readonly number[]): number[] {
  const own = new Set(usual);
  return [...moved.filter((one) => !own.has(one)), ...shortest(usual, wanted)];
}

/** The fewest leading ids of the wanted order after which the rest is in the usual one. */
function shortest(usual: readonly number[], wanted: readonly number[]): number[] {
  const rank = new Map(usual.map((id, place) => [id, place]));
  let kept = wanted.length;
  let next = Infinity;
  while (kept > 0) {
    const place = rank.get(wanted[kept - 1] ?? -1) ?? -1;
    if (place > next) break;
    next = place;
    kept -= 1;
  }
  return wanted.slice(0, kept);
}
