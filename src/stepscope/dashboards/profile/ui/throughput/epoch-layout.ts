// Where the columns of epochs lie and what they are stacked of, in pixels with the top at 0; and what is said of them.
import { formatDuration } from '$web/draw/number';
import { plural } from '$web/widgets/format';
import { shareText } from '../times';
import type { Epoch } from './throughput-answers';

export type EpochPart = 'first_step' | 'train' | 'validation' | 'checkpoint' | 'between';

/** In the order in which columns stack them, from below. */
export const EPOCH_PARTS: readonly { part: EpochPart; label: string; definition: string }[] = [
  { part: 'train', label: 'Train', definition: 'All steps but the first, as their own markers cover them' },
  { part: 'first_step', label: 'First step', definition: 'The first step of the epoch: filling buffers, compiling' },
  { part: 'validation', label: 'Validation', definition: 'Annotations or series that mean validation or evaluation' },
  { part: 'checkpoint', label: 'Checkpoint', definition: 'Checkpoints and summaries being written' },
  { part: 'between', label: 'Between', definition: 'None of these' },
];

export interface EpochBox {
  part: EpochPart | 'unknown';
  y: number;
  height: number;
}

export interface EpochColumn {
  /** The longest of those that share the column. */
  epoch: Epoch;
  count: number;
  x: number;
  width: number;
  boxes: EpochBox[];
}

const WIDEST = 56;
const NARROWEST = 3;

/** Columns from left to right; where there are more epochs than room, the longest of as many as share one. */
export function epochColumns(
  epochs: readonly Epoch[],
  size: { width: number; height: number; longest: number },
): EpochColumn[] {
  const room = Math.max(1, Math.floor(size.width / NARROWEST));
  const each = Math.max(1, Math.ceil(epochs.length / room));
  const groups: Epoch[][] = [];
  for (let first = 0; first < epochs.length; first += each) groups.push(epochs.slice(first, first + each));
  const wide = Math.min(WIDEST, size.width / Math.max(1, groups.length));
  const gap = wide > 4 ? Math.min(4, wide / 6) : 0;
  return groups.flatMap((group, place) => {
    const epoch = group.reduce<Epoch | undefined>(
      (best, one) => (best === undefined || one.seconds > best.seconds ? one : best),
      undefined,
    );
    if (epoch === undefined) return [];
    return [{ epoch, count: group.length, x: place * wide, width: wide - gap, boxes: boxes(epoch, size) }];
  });
}

function boxes(epoch: Epoch, { height, longest }: { height: number; longest: number }): EpochBox[] {
  const scale = longest > 0 ? height / longest : 0;
  let y = height;
  const found: EpochBox[] = [];
  const add = (part: EpochBox['part'], seconds: number): void => {
    if (seconds <= 0) return;
    const tall = Math.min(seconds * scale, y);
    y -= tall;
    found.push({ part, y, height: tall });
  };
  for (const { part } of EPOCH_PARTS) add(part, epoch[part] ?? 0);
  if (epoch.train === null) add('unknown', epoch.seconds);
  return found;
}

/** The parts that any of the epochs has. */
export function partsOfEpochs(epochs: readonly Epoch[]): typeof EPOCH_PARTS {
  return EPOCH_PARTS.filter(({ part }) => epochs.some((epoch) => (epoch[part] ?? 0) > 0));
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** Shares of the parts over all epochs that know them, largest first. */
export function sharesOfParts(epochs: readonly Epoch[]): { label: string; share: number }[] {
  const known = epochs.filter(({ train }) => train !== null);
  const total = known.reduce((sum, { seconds }) => sum + seconds, 0);
  if (total <= 0) return [];
  return EPOCH_PARTS.map(({ part, label }) => ({
    label,
    share: known.reduce((sum, epoch) => sum + (epoch[part] ?? 0), 0) / total,
  }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share);
}

/** 11 epochs, 1 min at the median: train 66 %, validation 15 %. */
export function epochsText(epochs: readonly Epoch[], total: number): string {
  const shares = sharesOfParts(epochs)
    .slice(0, 3)
    .map(({ label, share }) => `${label.toLowerCase()} ${shareText(share)}`);
  const middle = formatDuration(medianOf(epochs.map(({ seconds }) => seconds)));
  return `${plural(total, 'epoch')}, ${middle} at the median${shares.length > 0 ? `: ${shares.join(', ')}` : ''}.`;
}
