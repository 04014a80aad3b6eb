// What is said of the spans behind a line of evidence.
import { expect, it } from 'vitest';
import type { EvidenceFound } from '$api';
import { alikeText, lengthText, rangeOf } from './evidence-answers';

function found(duration: number, own: number | null, facts: Partial<EvidenceFound> = {}): EvidenceFound {
  const span = {
    row: 7,
    name: 'next',
    track: 'main',
    process: '',
    start_us: 0,
    duration_us: duration,
    own_us: own,
    step: 6,
    stack: [],
  };
  return { range: null, part: 'input', span, alike: [], alike_total: 1, own_us_per_step: 0, ...facts };
}

it('says how much of a span is waited for where that is less than its length', () => {
  expect(lengthText(found(73_400, 57_700))).toBe('73.4\u202fms, of which 57.7\u202fms are waited for');
  expect(lengthText(found(73_400, 57_700, { part: 'python' }))).toContain('57.7\u202fms are hidden by nothing else');
  expect(lengthText(found(73_400, 73_400))).toBe('73.4\u202fms');
  expect(lengthText(found(73_400, null))).toBe('73.4\u202fms');
  expect(lengthText(found(73_400, 0))).toBe('73.4\u202fms, all of it beside other work');
});

it('sums spans of one name as the sentence does', () => {
  expect(alikeText(found(1, 1))).toBe('');
  expect(alikeText(found(1, 1, { alike_total: 12, own_us_per_step: 550 }))).toBe(
    '12 spans of this name have 550\u202fµs of a typical step. The longest:',
  );
});

it('writes the time as a range', () => {
  expect(rangeOf({ start_ms: 12.345678, end_ms: 1000 })).toBe('12.345678ms:1000ms');
});
