// What the Communication part makes of its answer: values counted once, and bandwidths that may be more.
import { describe, expect, it } from 'vitest';
import { bandwidth, valuesOf } from './communication-answers';

describe('valuesOf', () => {
  it('counts the ranks that have each value', () => {
    expect(valuesOf({ what: 'steps', values: ['6', '5', '6', '6'] })).toEqual([
      { value: '6', ranks: 3 },
      { value: '5', ranks: 1 },
    ]);
  });
});

describe('bandwidth', () => {
  it('has three digits', () => {
    expect(bandwidth(12_345_000_000, false)).toBe('12.3');
    expect(bandwidth(234_500_000_000, false)).toBe('235');
  });
  it('says when it may be more', () => {
    expect(bandwidth(1_000_000_000, true)).toBe('≥\u202f1.00');
  });
  it('is never 0, and empty when unknown', () => {
    expect(bandwidth(1_000, false)).toBe('<\u202f0.01');
    expect(bandwidth(null, false)).toBe('');
  });
});
