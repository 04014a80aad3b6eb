// Which functions count as compiled again.
import { expect, test } from 'vitest';
import type { HostFunction } from '$api';
import { isRetraced } from './retraced';

const called = (calls: number, traces: number): HostFunction => ({
  name: 'step',
  compiler: 'jax.jit',
  calls,
  traces,
  total_us: 10,
  traced_us: 5,
  versions: null,
});

test('a function that is traced for most calls is retraced', () => {
  expect(isRetraced(called(8, 8))).toBe(true);
  expect(isRetraced(called(8, 5))).toBe(true);
});

test('a first trace, or few among many calls, is none', () => {
  expect(isRetraced(called(1, 1))).toBe(false);
  expect(isRetraced(called(8, 4))).toBe(false);
  expect(isRetraced(called(8, 0))).toBe(false);
});
