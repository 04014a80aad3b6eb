// What rules found: which findings are shown, what they gain in words and as a bar, and where their evidence lies.
import { formatShare } from '$web/draw/number';
import type { FindingRow, SpanPlace } from '$api';
import type { Report } from '../answers';
import { workerLabel } from '../session/facts';
import { stepTime } from '../times';

/** How many changes are worth reading at once. */
const CARDS = 3;

export const cards = (report: Report): FindingRow[] =>
  report.findings.filter(({ verdict }) => verdict === 'fires').slice(0, CARDS);

/** Everything that is not a card, in the order in which it is listed: fired but not shown, noted, unknown, quiet. */
export function others(report: Report): FindingRow[] {
  const shown = new Set(cards(report).map(({ rule }) => rule));
  const order = ['fires', 'noted', 'cannot_tell', 'quiet'];
  const at = ({ verdict, noted }: FindingRow): number => order.indexOf(noted ? 'noted' : verdict);
  return report.findings.filter(({ rule }) => !shown.has(rule)).sort((a, b) => at(a) - at(b));
}

/** Everything that is not a card: what still applies or saves little, and in one line each what passed and what has no data. */
export function restOf(report: Report): { listed: FindingRow[]; passed: FindingRow[]; missing: FindingRow[] } {
  const rest = others(report);
  return {
    listed: rest.filter(({ verdict, noted }) => verdict === 'fires' || noted),
    passed: rest.filter(({ verdict, noted }) => verdict === 'quiet' && !noted),
    missing: rest.filter(({ verdict }) => verdict === 'cannot_tell'),
  };
}

/** "118–136 ms instead of 177 ms", below another change "105 ms after the changes above", "saves up to 5% of the profile", or nothing. */
export function gainText(finding: FindingRow, stepMs: number, first: boolean): string {
  const { gain, step_ms: after } = finding;
  if (gain === null) return '';
  if (after === null) return `saves up to ${formatShare(gain.high)} of the profile`;
  const range = timeRange([after.low, after.high]);
  return first ? `${range} instead of ${stepTime(stepMs)}` : `${range} after the changes above`;
}

export function timeRange([low, high]: readonly [number, number]): string {
  const [least, most] = [stepTime(low), stepTime(high)];
  if (least === most) return least;
  const [number, unit] = least.split('\u202f');
  return most.endsWith(`\u202f${unit}`) ? `${number}–${most}` : `${least}–${most}`;
}

/** How sure a gain is, in words that stand behind it. */
export function sureness(finding: FindingRow): string {
  const { gain } = finding;
  if (gain === null) return '';
  return [gain.kind === 'at_best' ? 'upper bound on the gain' : '', gain.weak ? 'rough estimate' : '']
    .filter((word) => word !== '')
    .join(', ');
}

/** The bar of a step after a change: what is left for sure, and what may be left, in percent of today's step. */
export function gainBar(finding: FindingRow, stepMs: number): { left: number; maybe: number } | null {
  const { gain, step_ms: after } = finding;
  if (gain === null || after === null || stepMs <= 0) return null;
  const [low, high] = [after.low, after.high].map((ms) => Math.min(100, Math.max(0, (100 * ms) / stepMs)));
  return { left: low ?? 0, maybe: (high ?? 0) - (low ?? 0) };
}

const rankOf = (report: Report, place: SpanPlace): Report['ranks'][number] | undefined =>
  report.ranks.find(({ worker }) => worker === place.worker);

/** "step 6", on several ranks "rank 1, step 6"; what lies in no step is told by its track. */
export function seenAt(report: Report, place: SpanPlace): string {
  const { step } = place;
  const words = [
    report.ranks.length > 1 ? workerLabel(rankOf(report, place) ?? place) : '',
    step === null ? '' : `step ${step}`,
  ];
  return words.filter((word) => word !== '').join(', ') || place.track;
}

/** "thread 100 at 59.3 ms" */
export const placeText = (place: SpanPlace): string => `${place.track} at ${stepTime(place.start_ms)}`;
