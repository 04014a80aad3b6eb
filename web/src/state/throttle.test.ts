// A throttled task runs at once, then at most once a pause, and never loses the last call.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { throttled } from './throttle';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('joins calls made during the pause into one more run', async () => {
  let runs = 0;
  const call = throttled(async () => {
    runs++;
    await Promise.resolve();
  }, 1000);
  call();
  call();
  call();
  expect(runs).toBe(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(runs).toBe(2);
  await vi.advanceTimersByTimeAsync(5000);
  expect(runs).toBe(2);
  call();
  expect(runs).toBe(3);
});

it('goes on after a task that failed', async () => {
  let runs = 0;
  const call = throttled(() => {
    runs++;
    return Promise.reject(new Error('no')).catch(() => undefined);
  }, 10);
  call();
  call();
  await vi.advanceTimersByTimeAsync(50);
  expect(runs).toBe(2);
});
