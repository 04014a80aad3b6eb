// The place of a request as a range, and what makes a slow one slow.
import { expect, it } from 'vitest';
import type { RequestRow, RequestTime, ServedTokens } from '$api';
import { grew, phasesOf, rangeOf, tokenFactsOf } from './request-answers';

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

it('shows the phases that there are, and a dash for what the file does not tell', () => {
  const served: ServedTokens = {
    prefill: { batches: 1, requests: 1, median_ms: 40, p95_ms: 40 },
    decode: null,
    mixed: { batches: 3, requests: 2.5, median_ms: 8, p95_ms: 9 },
    first_token_ms: 40,
    output_token_ms: null,
    output_tokens_per_second: 123.456,
    prompt_tokens_per_second: null,
  };
  expect(phasesOf(served).map(({ name, phase }) => [name, phase.batches])).toEqual([
    ['Prefill', 1],
    ['Mixed', 3],
  ]);
  const texts = tokenFactsOf(served).map(({ text }) => text);
  expect(texts[0]).toContain('40');
  expect(texts[1]).toBe(texts[3]);
  expect(texts[2]).toContain('123');
});
