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

it('says how much of a span is exposed where that is less than its duration', () => {
  const waited = lengthText(found(73_400, 57_700));
  expect(waited).toMatch(/^73\.4\u202fms, 57\.7\u202fms /);
  expect(lengthText(found(73_400, 57_700, { part: 'python' }))).toMatch(/^73\.4\u202fms, 57\.7\u202fms /);
  expect(lengthText(found(73_400, 57_700, { part: 'python' }))).not.toBe(waited);
  expect(lengthText(found(73_400, 73_400))).toBe('73.4\u202fms');
  expect(lengthText(found(73_400, null))).toBe('73.4\u202fms');
  expect(lengthText(found(73_400, 0))).toMatch(/^73\.4\u202fms, \D+$/);
});

it('sums spans of one name as the sentence does', () => {
  expect(alikeText(found(1, 1))).toBe('');
  expect(alikeText(found(1, 1, { alike_total: 12, own_us_per_step: 550 }))).toMatch(/^12 .*550\u202fµs/);
});

it('writes the time as a range', () => {
  expect(rangeOf({ start_ms: 12.345678, end_ms: 1000 })).toBe('12.345678ms:1000ms');
});
