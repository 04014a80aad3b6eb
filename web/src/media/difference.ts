// What changed between two texts, line by line: the fewest lines taken out and put in, found as Myers does.

export type Change = 'same' | 'out' | 'in';

export interface DifferenceLine {
  change: Change;
  text: string;
}

/** Beyond that many changes the rest of both is shown as replaced: finding the fewest would take too long to be worth it. */
const MOST_CHANGES = 1000;

export function differenceOf(before: string, after: string): DifferenceLine[] {
  const old = before.split('\n');
  const fresh = after.split('\n');
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (
    end < old.length - start &&
    end < fresh.length - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  )
    end++;
  const lines = (change: Change, texts: readonly string[]): DifferenceLine[] => texts.map((text) => ({ change, text }));
  return [
    ...lines('same', old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)),
    ...lines('same', old.slice(old.length - end)),
  ];
}

function middle(old: readonly string[], fresh: readonly string[]): DifferenceLine[] {
  const trace = furthest(old, fresh);
  if (trace === null) return [...old.map(out), ...fresh.map(into)];
  const found: DifferenceLine[] = [];
  let [x, y] = [old.length, fresh.length];
  for (let changes = trace.length - 1; changes > 0; changes--) {
    const reach = trace[changes - 1] as Map<number, number>;
    const diagonal = x - y;
    const down = diagonal === -changes || (diagonal !== changes && at(reach, diagonal - 1) < at(reach, diagonal + 1));
    const from = down ? diagonal + 1 : diagonal - 1;
    const [fromX, fromY] = [at(reach, from), at(reach, from) - from];
    while (x > fromX && y > fromY && x > (down ? fromX : fromX + 1) && y > (down ? fromY + 1 : fromY)) {
      found.push({ change: 'same', text: old[--x] ?? '' });
      y--;
    }
    found.push(down ? into(fresh[--y] ?? '') : out(old[--x] ?? ''));
  }
  while (x > 0) found.push({ change: 'same', text: old[--x] ?? '' });
  return found.reverse();
}

/** For each number of changes, how far along the old text each diagonal gets; null when there are too many. */
function furthest(old: readonly string[], fresh: readonly string[]): Map<number, number>[] | null {
  const trace: Map<number, number>[] = [];
  for (let changes = 0; changes <= Math.min(old.length + fresh.length, MOST_CHANGES); changes++) {
    const last = trace[changes - 1] ?? new Map<number, number>();
    const reach = new Map<number, number>();
    trace.push(reach);
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      const down = diagonal === -changes || (diagonal !== changes && at(last, diagonal - 1) < at(last, diagonal + 1));
      let x = changes === 0 ? 0 : down ? at(last, diagonal + 1) : at(last, diagonal - 1) + 1;
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x++;
      reach.set(diagonal, x);
      if (x >= old.length && x - diagonal >= fresh.length) return trace;
    }
  }
  return null;
}

const at = (reach: ReadonlyMap<number, number>, diagonal: number): number => reach.get(diagonal) ?? -1;
const out = (text: string): DifferenceLine => ({ change: 'out', text });
const into = (text: string): DifferenceLine => ({ change: 'in', text });
