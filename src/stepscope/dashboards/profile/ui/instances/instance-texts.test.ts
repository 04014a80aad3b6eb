// What is said of a span and of those it is one of.
import { expect, it } from 'vitest';
import { lengthText, rangeOf, rangeOfSpan, titleOf } from './instance-texts';

it('says how much of a span is exposed where that is less than its duration', () => {
  const text = (own: number | null, part = 'input'): string => lengthText(part, { duration_us: 73_400, own_us: own });
  expect(text(57_700)).toMatch(/^73\.4\u202fms, 57\.7\u202fms /);
  expect(text(57_700, 'python')).toMatch(/^73\.4\u202fms, 57\.7\u202fms /);
  expect(text(57_700, 'python')).not.toBe(text(57_700));
  expect(text(73_400)).toBe('73.4\u202fms');
  expect(text(null)).toBe('73.4\u202fms');
  expect(text(0)).toMatch(/^73\.4\u202fms, \D+$/);
});

it('heads the list with the name that was asked for, or that of the span', () => {
  expect(titleOf({ worker: '', name: 'gemm', of: 'kernel' }, { name: 'gemm<1>' })).toBe('gemm');
  expect(titleOf({ worker: '', of: 'span', like: 3 }, { name: 'next' })).toBe('next');
  expect(titleOf({ worker: '', of: 'span', like: 3 }, null)).toBe('');
  expect(titleOf({ worker: '', of: 'copy', name: 'host to device', memory: 'pinned to device' }, null)).toContain(
    'pinned',
  );
});

it('writes times as a range', () => {
  expect(rangeOf({ start_ms: 12.345678, end_ms: 1000 })).toBe('12.345678ms:1000ms');
  expect(rangeOfSpan({ start_us: 1500, duration_us: 250 })).toBe('1.5ms:1.75ms');
});
