// How times and shares of a step read on this tab.
import { formatCount, formatDuration, formatShare } from '$web/draw/number';

export const stepTime = (ms: number): string => formatDuration(ms / 1000);

/** A share that is not nothing never reads as 0%. */
export const shareText = (fraction: number): string =>
  fraction > 0 && fraction < 0.0005 ? '<\u202f0.1%' : formatShare(fraction);

/** A mean over steps: whole as a count, else with three digits. */
export const perStep = (mean: number): string =>
  Number.isInteger(mean) || mean >= 100 ? formatCount(Math.round(mean)) : String(Number(mean.toPrecision(3)));
