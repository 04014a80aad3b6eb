// Marks are the evidence of findings that fire on one worker; a place leads to its span, or to its stretch of time.
import { describe, expect, it } from 'vitest';
import type { FindingRow, SpanPlace } from '$api';
import { inTrace, marksOf } from './findings';

const place = (worker: string, start_ms: number, rows: [number, number] | null = [7, 8]): SpanPlace => ({
  worker,
  file: '',
  track: '',
  track_number: 0,
  rows,
  start_ms,
  end_ms: start_ms + 1,
  step: 3,
});
const finding = (rule: string, verdict: string, ...places: (SpanPlace | null)[]): FindingRow =>
  ({
    rule,
    verdict,
    title: rule,
    evidence: places.map((spans) => ({ text: 'Slow.', spans })),
  }) as unknown as FindingRow;

describe('marks', () => {
  it('are of what fires on this worker, by time', () => {
    const findings = [
      finding('late', 'fires', place('w0', 9), null, place('w1', 1)),
      finding('early', 'fires', place('w0', 2)),
      finding('quiet', 'quiet', place('w0', 5)),
    ];
    expect(marksOf(findings, 'w0').map(({ rule, start, end }) => [rule, start, end])).toEqual([
      ['early', 2000, 3000],
      ['late', 9000, 10_000],
    ]);
  });

  it('lead to a span, or to a stretch of time with room around it', () => {
    expect(inTrace(place('w0', 5), 'late')).toMatchObject({ show: 'trace', span: 7, window: null, finding: 'late' });
    expect(inTrace(place('w0', 5, null), '')).toMatchObject({ span: null, window: [4800, 6200], worker: 'w0' });
  });
});
