// The place of a request as a range, and what makes a slow one slow.
import { expect, it } from 'vitest';
import type { RequestRow, RequestTime } from '$api';
import { grew, rangeOf } from './request-answers';

const times = (queue: number, host: number, transfer: number, device: number): RequestTime => ({
  latency: queue + host + transfer + device,
  queue,
  host,
  transfer,
  device,
});

it('makes a range that holds the whole request', () => {
  const slow: RequestRow = {
    start_ms: 600.0004,
    thread: 'main',
    row: 3,
    step: null,
    latency_ms: 64.0001,
    queue_ms: 1,
    host_ms: 2,
    transfer_ms: 3,
    device_ms: 58.0001,
  };
  expect(rangeOf(slow)).toBe('600000us:664001us');
  expect(rangeOf({ ...slow, start_ms: -0.001 })).toMatch(/^0us:/);
});

it('names the part that grew most', () => {
  expect(grew(times(9, 2, 1, 4), times(1, 2, 1, 4))).toBe('queue');
  expect(grew(times(1, 3, 1, 40), times(1, 2, 1, 4))).toBe('device');
  expect(grew(times(1, 2, 1, 4), times(1, 2, 1, 4))).toBe(null);
});
