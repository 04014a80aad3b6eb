// How times and shares of a step read on this tab.
import { formatCount, formatDuration, formatShare, formatValue } from '$web/draw/number';

export const stepTime = (ms: number): string => formatDuration(ms / 1000);

/** A share that is not nothing never reads as 0%. */
export const shareText = (fraction: number): string =>
  fraction > 0 && fraction < 0.0005 ? '<\u202f0.1%' : formatShare(fraction);

/** A mean over steps: whole as a count, else with three digits; what happens once in several steps as "1 in 16". */
export function perStep(mean: number): string {
  if (Number.isInteger(mean) || mean >= 100) return formatCount(Math.round(mean));
  const steps = Math.round(1 / mean);
  const isOnce = steps > 1 && Math.abs(mean * steps - 1) < 0.001;
  return isOnce ? `1 in ${formatCount(steps)}` : formatValue(mean, 3);
}
