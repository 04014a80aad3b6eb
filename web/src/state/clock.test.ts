// The clock goes on once a second.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { clock } from './clock.svelte';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.clearAllTimers();
  vi.useRealTimers();
});

it('has the time of the second that began last', () => {
  vi.setSystemTime(5_000);
  clock.start();
  vi.advanceTimersByTime(999);
  expect(clock.now).not.toBe(6_000);
  vi.advanceTimersByTime(1);
  expect(clock.now).toBe(6_000);
  vi.advanceTimersByTime(2_500);
  expect(clock.now).toBe(8_000);
});
