// Where things of the memory chart lie: bytes on an axis of binary steps, stacked outlines, and the point under the cursor.
import type { LayerRow, StackedBy } from '$api';

/** What can make a layer. */
export const LAYERS: readonly StackedBy[] = ['op', 'module', 'kind'];

const MOST_TICKS = 5;
/** How far above the peak a line may lie and still be drawn; the chart is about what was held. */
const NEAR = 2;

/** Multiples of a power of two from 0 up to the top. */
export function byteTicks(top: number): number[] {
  if (!(top > 0)) return [0];
  let gap = 1;
  while (top / gap > MOST_TICKS) gap *= 2;
  const ticks: number[] = [];
  for (let tick = 0; tick <= top; tick += gap) ticks.push(tick);
  return ticks;
}

/** The top of the axis: a little above all that was held; what was reserved and the device's size count when they are not far above. */
export function axisTop(level: readonly number[], reserved: readonly number[] | null, capacity: number | null): number {
  const largest = (sizes: readonly number[]): number => sizes.reduce((most, size) => Math.max(most, size), 1);
  const held = largest(level);
  const kept = largest(reserved ?? []);
  let highest = kept > held && kept <= NEAR * held ? kept : held;
  if (capacity !== null && capacity > highest && capacity <= NEAR * held) highest = capacity;
  return highest * 1.05;
}

/** Running sums of the layers, from the first upwards, at every point; what is below zero draws nothing. */
export function stacked(layers: readonly LayerRow[], points: number): number[][] {
  let below: number[] = Array<number>(points).fill(0);
  return layers.map(({ bytes }) => {
    below = below.map((sum, at) => sum + Math.max(0, bytes[at] ?? 0));
    return below;
  });
}

/** The place of the last point at or before a time; the first one before all of them. */
export function pointAt(ms: readonly number[], time: number): number {
  let low = 0;
  let high = ms.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((ms[middle] ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The step that a time lies in. */
export function stepAt(steps: readonly { step: number; ms: number }[], time: number): number | null {
  let found: number | null = null;
  for (const { step, ms } of steps) if (ms <= time) found = step;
  return found;
}
