// Findings in the trace: where the evidence of each one is, and what the address says to show it.
import type { ProfileView } from '$web/state/view';
import type { FindingRow, SpanPlace } from '$api';

/** A line of evidence at its place. Times are microseconds since the start of the profile. */
export interface FindingMark {
  rule: string;
  title: string;
  text: string;
  place: SpanPlace;
  start: number;
  end: number;
}

/** Evidence of what should be changed, on one worker, in the order of time. */
export function marksOf(findings: readonly FindingRow[], worker: string): FindingMark[] {
  return findings
    .filter(({ verdict }) => verdict === 'fires')
    .flatMap(({ rule, title, evidence }) =>
      evidence.flatMap(({ text, spans: place }) =>
        place === null || place.worker !== worker
          ? []
          : [{ rule, title, text, place, start: place.start_ms * 1e3, end: place.end_ms * 1e3 }],
      ),
    )
    .sort((one, other) => one.start - other.start);
}

/** Room at both sides of evidence that is a stretch of time, as a share of it. */
const ROOM = 0.2;

/** What shows a place in the trace: its first span, or else its stretch of time. */
export function inTrace(place: SpanPlace, finding: string): Partial<ProfileView> {
  const [start, end] = [place.start_ms * 1e3, place.end_ms * 1e3];
  const room = ROOM * (end - start);
  return {
    show: 'trace',
    worker: place.worker,
    span: place.rows?.[0] ?? null,
    window: place.rows === null ? [Math.max(0, start - room), end + room] : null,
    area: null,
    finding,
  };
}
