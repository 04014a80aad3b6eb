// Levers in the address, and their answers in words.
import { expect, test } from 'vitest';
import {
  answerText,
  calibrationText,
  leftText,
  pull,
  rangeBar,
  readPulled,
  readStepMs,
  replayText,
  speedText,
  todayText,
  writePulled,
} from './levers';
import type { PredictionRow } from '$api';

function prediction({
  low = 7,
  high = 9,
  ...facts
}: Partial<PredictionRow> & { low?: number | null; high?: number | null }): PredictionRow {
  const none = {
    band: null,
    more: null,
    pairs: null,
    weak: false,
    refused: null,
    bound_ms: null,
    notes: [],
    no_effect: false,
    unmeasured: false,
  };
  return {
    change: 'input=0',
    kind: 'removes',
    baseline_ms: 10,
    predicted_ms: { low, mid: null, high },
    ...none,
    ...facts,
  };
}

test('the address has what is pulled and nothing else', () => {
  expect([...readPulled('input=0,kernels=0.5,x,=3,a=b,colour=0,constructor=1,workers=4')]).toEqual([
    ['input', 0],
    ['kernels', 0.5],
    ['workers', 4],
  ]);
  expect(writePulled(readPulled('input=0,kernels=0.5'))).toBe('input=0,kernels=0.5');
});

test('levers keep the order in which they are listed', () => {
  const names = ['input', 'python', 'kernels'];
  const both = pull(pull(new Map(), 'kernels', 0.5, names), 'input', 0, names);
  expect(writePulled(both)).toBe('input=0,kernels=0.5');
  expect(writePulled(pull(both, 'input', null, names))).toBe('kernels=0.5');
});

test('amounts and answers in words', () => {
  expect(leftText(1)).toBe('unchanged');
  expect(leftText(0)).not.toMatch(/\d/);
  expect(leftText(0.25)).toMatch(/^25% .*4×/);
  expect(answerText(prediction({}))).toBe('7–9\u202fms');
  expect(answerText(prediction({ kind: 'at_best', low: 7, high: 7 }))).toBe('down to 7\u202fms');
  expect(answerText(prediction({ refused: 'No.', low: null, high: null }))).toBe('no estimate');
  expect(answerText(prediction({ refused: 'Not recorded: no span.', low: null, high: null }))).toBe('not recorded');
  expect(speedText(prediction({ low: 5, high: 8 }))).toBe('1.25 to 2 times as fast');
  expect(rangeBar(prediction({}), 10)).toEqual({ left: 70, maybe: 20 });
});

test('where a range comes from', () => {
  expect(calibrationText(prediction({ band: 0.15, more: 0, pairs: 2 }))).toMatch(/15%.* all 2 measured pairs/);
  expect(calibrationText(prediction({ band: 0.15, more: 0, pairs: 1 }))).toMatch(/15%.* the 1 measured pair\./);
  expect(calibrationText(prediction({ band: 0.25, more: 0.05, pairs: 21 }))).toMatch(/25%.*5%.*90% of 21/);
  expect(calibrationText(prediction({ kind: 'moves', more: 0.05, pairs: 18 }))).toBe('');
  expect(calibrationText(prediction({ kind: 'at_best' }))).toBe('');
  expect(calibrationText(prediction({ refused: 'No.' }))).toBe('');
  expect(replayText({ replay_ms: 9.96, replay_error: -0.004, serial: false })).toMatch(/9\.96\u202fms.*−0\.4%/);
  expect(replayText({ replay_ms: 10, replay_error: 1e-6, serial: false })).toContain('within 0.1%');
  expect(replayText({ replay_ms: null, replay_error: null, serial: true })).toMatch(/^Without a device/);
});

test('where today’s step comes from is said', () => {
  const logged = { ms: 8, tag: 'step_time/total', steps: 240 };
  const today = (facts: Partial<Parameters<typeof todayText>[0]>, said = false): string =>
    todayText({ typical_ms: 10, unprofiled_ms: 8, logged: null, inflation: 0.25, ...facts }, said).replaceAll(
      '\u202f',
      ' ',
    );
  expect(today({ unprofiled_ms: null, inflation: null })).toMatch(/10 ms .*unknown/);
  expect(today({ logged })).toMatch(/10 ms, 8 ms .*240 steps .*step_time\/total.*25%/);
  expect(today({ logged }, true)).toMatch(/10 ms, 8 ms .*you entered.*25%/);
  expect(today({ inflation: -0.1 }, true)).not.toContain('%');
});

test('milliseconds that are none are not taken', () => {
  expect(['12.5', ' 8 ', '', 'x', '0', '-3', '1e12', 'Infinity', '0.1234567'].map(readStepMs)).toEqual([
    ...[12.5, 8, null, null, null, null, null, null],
    0.123457,
  ]);
});
