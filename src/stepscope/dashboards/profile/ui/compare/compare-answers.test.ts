// Changes read as signed times and shares, and a row says in words how it differs.
import { expect, it } from 'vitest';
import type { CompareRow, DifferenceRow } from '$api';
import { changeShare, changeText, counts, reason, worse } from './compare-answers';

const plain = (text: string): string => text.replaceAll('\u202f', ' ');
const difference = (before_ms: number, after_ms: number, beyond_noise: boolean | null = true): DifferenceRow => ({
  before_ms,
  after_ms,
  change_ms: after_ms - before_ms,
  change: before_ms === 0 ? null : after_ms / before_ms - 1,
  noise_ms: 0.5,
  beyond_noise,
});
const row = (facts: Partial<CompareRow>): CompareRow => ({
  name: 'aten::mm',
  kind: 'op',
  on_device: true,
  change: 'time',
  exposed: difference(3, 6),
  busy: difference(3, 6),
  count_before: 2,
  count_after: 2,
  per_call_before_us: 1500,
  per_call_after_us: 3000,
  ...facts,
});

it('writes changes with their sign', () => {
  expect([12.5, -0.003, 0].map(changeText).map(plain)).toEqual(['+12.5 ms', '−3 µs', '0']);
  expect([0.419, -0.05, 167.6, 5, null, 0].map(changeShare).map(plain)).toEqual([
    '+42%',
    '−5%',
    '× 169',
    '× 6',
    '',
    '',
  ]);
});

it('says how a row differs', () => {
  expect(reason(row({}))).toBe('longer per call');
  expect(reason(row({ busy: difference(6, 3) }))).toBe('shorter per call');
  expect(reason(row({ change: 'count', count_after: 4 }))).toBe('runs more often');
  expect(reason(row({ change: 'waited_for', exposed: difference(6, 3) }))).toBe('less exposed');
  expect(reason(row({ change: 'none' }))).toBe('within noise');
});

it('counts executions once where they are the same', () => {
  expect(counts(row({ count_before: 2, count_after: 2 }))).toBe('2');
  expect(counts(row({ count_before: 3, count_after: 67.33333 }))).toBe('3 → 67.3');
});

it('calls trouble only what is slower by more than noise', () => {
  expect(worse(difference(3, 6))).toBe(true);
  expect(worse(difference(3, 6, false))).toBe(false);
  expect(worse(difference(3, 6, null))).toBe(false);
  expect(worse(difference(6, 3))).toBe(false);
});
