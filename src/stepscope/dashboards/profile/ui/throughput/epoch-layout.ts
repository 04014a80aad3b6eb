// Where the columns of epochs lie and what they are stacked of, in pixels with the top at 0; and what is said of them.
import type { EpochTime, LoggedEpochs } from '$api';
import { formatDuration } from '$web/draw/number';
import { plural } from '$web/widgets/format';
import { shareText } from '../times';

export type EpochPart = 'first_step' | 'train' | 'validation' | 'checkpoint' | 'between';

/** In the order in which columns stack them, from below. */
export const EPOCH_PARTS: readonly { part: EpochPart; label: string; definition: string }[] = [
  { part: 'train', label: 'Train', definition: 'Time inside step markers, without the first step' },
  { part: 'first_step', label: 'First step', definition: 'First step of the epoch, which fills buffers and compiles' },
  {
    part: 'validation',
    label: 'Validation',
    definition: 'Validation or evaluation, from annotations or logged series',
  },
  { part: 'checkpoint', label: 'Checkpoint', definition: 'Writing checkpoints and summaries' },
  { part: 'between', label: 'Between', definition: 'All other time of the epoch' },
];

/** Seconds of a part; null when unknown. */
export const secondsOf = (epoch: EpochTime, part: EpochPart): number | null => epoch[`${part}_seconds` as const];

export interface EpochBox {
  part: EpochPart | 'unknown';
  y: number;
  height: number;
}

export interface EpochColumn {
  /** The longest of those that share the column. */
  epoch: EpochTime;
  count: number;
  x: number;
  width: number;
  boxes: EpochBox[];
}

const WIDEST = 56;
const NARROWEST = 3;

/** Columns from left to right; where there are more epochs than room, the longest of as many as share one. */
export function epochColumns(
  epochs: readonly EpochTime[],
  size: { width: number; height: number; longest: number },
): EpochColumn[] {
  const room = Math.max(1, Math.floor(size.width / NARROWEST));
  const each = Math.max(1, Math.ceil(epochs.length / room));
  const groups: EpochTime[][] = [];
  for (let first = 0; first < epochs.length; first += each) groups.push(epochs.slice(first, first + each));
  const wide = Math.min(WIDEST, size.width / Math.max(1, groups.length));
  const gap = wide > 4 ? Math.min(4, wide / 6) : 0;
  return groups.flatMap((group, place) => {
    const epoch = group.reduce<EpochTime | undefined>(
      (best, one) => (best === undefined || one.seconds > best.seconds ? one : best),
      undefined,
    );
    if (epoch === undefined) return [];
    return [{ epoch, count: group.length, x: place * wide, width: wide - gap, boxes: boxes(epoch, size) }];
  });
}

function boxes(epoch: EpochTime, { height, longest }: { height: number; longest: number }): EpochBox[] {
  const scale = longest > 0 ? height / longest : 0;
  let y = height;
  const found: EpochBox[] = [];
  const add = (part: EpochBox['part'], seconds: number): void => {
    if (seconds <= 0) return;
    const tall = Math.min(seconds * scale, y);
    y -= tall;
    found.push({ part, y, height: tall });
  };
  for (const { part } of EPOCH_PARTS) add(part, secondsOf(epoch, part) ?? 0);
  if (epoch.train_seconds === null) add('unknown', epoch.seconds);
  return found;
}

/** The parts that any of the epochs has. */
export function partsOfEpochs(epochs: readonly EpochTime[]): typeof EPOCH_PARTS {
  return EPOCH_PARTS.filter(({ part }) => epochs.some((epoch) => (secondsOf(epoch, part) ?? 0) > 0));
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** Shares of the parts over all epochs that know them, largest first. */
export function sharesOfParts(epochs: readonly EpochTime[]): { label: string; share: number }[] {
  const known = epochs.filter((epoch) => epoch.train_seconds !== null);
  const total = known.reduce((sum, { seconds }) => sum + seconds, 0);
  if (total <= 0) return [];
  return EPOCH_PARTS.map(({ part, label }) => ({
    label,
    share: known.reduce((sum, epoch) => sum + (secondsOf(epoch, part) ?? 0), 0) / total,
  }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share);
}

/** 11 epochs, median 1 min: train 66%, validation 15%. */
export function epochsText(epochs: readonly EpochTime[], total: number): string {
  const shares = sharesOfParts(epochs)
    .slice(0, 3)
    .map(({ label, share }) => `${label.toLowerCase()} ${shareText(share)}`);
  const middle = formatDuration(medianOf(epochs.map(({ seconds }) => seconds)));
  return `${plural(total, 'epoch')}, median ${middle}${shares.length > 0 ? `: ${shares.join(', ')}` : ''}.`;
}

/** Where epochs come from: what a run has logged, or the profile itself. */
export const originText = (logged: Pick<LoggedEpochs, 'series'> | null): string =>
  logged === null ? 'from annotations in the profile' : `logged as ${logged.series.join(', ')}`;
