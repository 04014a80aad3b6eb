// Findings in words and bars.
import { expect, it } from 'vitest';
import type { FindingRow } from '$api';
import { cards, gainBar, gainText, others, placeText, restOf, seenAt, sureness, timeRange } from './findings';
import { makeFinding, makeRank, makeReport } from '../fixture';

const gain: NonNullable<FindingRow['gain']> = { low: 0.23, high: 0.33, of: 'step', kind: 'moves', weak: false };
const report = (findings: FindingRow[]) => ({
  ...makeReport([makeRank({ steps: [10, 10, 10] })]),
  findings,
});

it('gives the estimated step time, beside the step time of today only for the first change', () => {
  const finding = makeFinding({ gain, step_ms: { low: 118.3, high: 136.4 } });
  expect(gainText(finding, 177.2, true)).toMatch(/^118–136\u202fms .*177\u202fms/);
  expect(gainText(finding, 177.2, false)).toMatch(/^118–136\u202fms/);
  expect(gainText(finding, 177.2, false)).not.toContain('177');
  expect(gainText({ ...finding, step_ms: null }, 177.2, true)).toContain('33%');
  expect(gainText({ ...finding, gain: null, step_ms: null }, 177.2, true)).toBe('');
});

it('names the unit twice only when it differs', () => {
  expect(timeRange([7, 7])).toBe('7\u202fms');
  expect(timeRange([0.9, 1.5])).toBe('900\u202fµs–1.5\u202fms');
});

it('says how sure a gain is', () => {
  expect(sureness(makeFinding({ gain }))).toBe('');
  const bound = sureness(makeFinding({ gain: { ...gain, kind: 'at_best' } }));
  const rough = sureness(makeFinding({ gain: { ...gain, weak: true } }));
  expect(new Set(['', bound, rough]).size).toBe(3);
  expect(sureness(makeFinding({ gain: { ...gain, kind: 'at_best', weak: true } }))).toBe(`${bound}, ${rough}`);
  expect(sureness(makeFinding({ gain: null }))).toBe('');
});

it('draws what is left and what may be left', () => {
  expect(gainBar(makeFinding({ gain, step_ms: { low: 50, high: 75 } }), 100)).toEqual({ left: 50, maybe: 25 });
  expect(gainBar(makeFinding({ gain, step_ms: { low: 50, high: 175 } }), 100)).toEqual({ left: 50, maybe: 50 });
  expect(gainBar(makeFinding({ gain, step_ms: null }), 100)).toBeNull();
});

it('shows three changes and lists the rest', () => {
  const findings = ['a', 'b', 'c', 'd'].map((rule) => makeFinding({ rule, verdict: 'fires' }));
  findings.push(
    makeFinding({ rule: 'q', verdict: 'quiet' }),
    makeFinding({ rule: 'u', verdict: 'cannot_tell' }),
    makeFinding({ rule: 'n', verdict: 'quiet', noted: true }),
  );
  expect(cards(report(findings)).map(({ rule }) => rule)).toEqual(['a', 'b', 'c']);
  expect(others(report(findings)).map(({ rule }) => rule)).toEqual(['d', 'n', 'u', 'q']);
  const rest = restOf(report(findings));
  expect([rest.listed, rest.missing].map((rows) => rows.map(({ rule }) => rule))).toEqual([['d', 'n'], ['u']]);
  expect(rest.passed).toHaveLength(1);
});

it('says where a piece of evidence was seen: its step, on several ranks whose, outside of steps its track', () => {
  const place = {
    ...{ worker: 'rank1', file: 'f', track: 'main', track_number: 0, rows: null },
    ...{ start_ms: 12, end_ms: 13, step: 6 },
  };
  const ranks = [0, 1].map((rank) => ({ ...makeRank({ steps: [1] }), worker: `rank${rank}`, rank }));
  expect(seenAt(makeReport(ranks), place)).toBe('rank 1, step 6');
  expect(seenAt(makeReport(ranks.slice(0, 1)), place)).toBe('step 6');
  expect(seenAt(makeReport(ranks.slice(0, 1)), { ...place, step: null })).toBe('main');
  expect(placeText(place)).toBe('main at 12\u202fms');
});
