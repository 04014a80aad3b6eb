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
import type { Prediction } from './what-if-answers';

function prediction(facts: Partial<Prediction>): Prediction {
  const none = {
    mid_ms: null,
    band: null,
    more: null,
    pairs: null,
    weak: false,
    refused: null,
    bound_ms: null,
    notes: [],
  };
  return { lever: 'input=0', kind: 'removes', baseline_ms: 10, low_ms: 7, high_ms: 9, ...none, ...facts };
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
  expect(leftText(1)).toBe('as recorded');
  expect(leftText(0)).toBe('none of it');
  expect(leftText(0.25)).toBe('25\u202f% of it, 4× as fast');
  expect(answerText(prediction({}))).toBe('7–9\u202fms');
  expect(answerText(prediction({ kind: 'at_best', low_ms: 7, high_ms: 7 }))).toBe('7\u202fms, at best');
  expect(answerText(prediction({ refused: 'No.', low_ms: null, high_ms: null }))).toBe('refused');
  expect(answerText(prediction({ refused: 'Not recorded: no span.', low_ms: null, high_ms: null }))).toBe(
    'not recorded',
  );
  expect(speedText(prediction({ low_ms: 5, high_ms: 8 }))).toBe('1.25 to 2 times as fast');
  expect(rangeBar(prediction({}), 10)).toEqual({ left: 70, maybe: 20 });
});

test('where a range comes from', () => {
  expect(calibrationText(prediction({ band: 0.15, more: 0, pairs: 2 }))).toBe(
    'The range allows for 15\u202f% less to go than the model says: so it holds all the 2 pairs measured.',
  );
  expect(calibrationText(prediction({ band: 0.25, more: 0.05, pairs: 21 }))).toContain(
    'less to go than the model says and for what is left to get up to 5\u202f% faster: so it holds nine of ten of the 21',
  );
  expect(calibrationText(prediction({ kind: 'moves', more: 0.05, pairs: 18 }))).toBe('');
  expect(calibrationText(prediction({ kind: 'at_best' }))).toBe('');
  expect(calibrationText(prediction({ refused: 'No.' }))).toBe('');
  expect(replayText({ replay_ms: 9.96, replay_error: -0.004, serial: false })).toBe(
    'Replayed unchanged, a step takes 9.96\u202fms (−0.4\u202f%).',
  );
  expect(replayText({ replay_ms: 10, replay_error: 1e-6, serial: false })).toContain('(within 0.1\u202f%)');
  expect(replayText({ replay_ms: null, replay_error: null, serial: true })).toMatch(/^Without a device/);
});

test('where today’s step comes from is said', () => {
  const logged = { ms: 8, tag: 'step_time/total', steps: 240 };
  const today = (facts: Partial<Parameters<typeof todayText>[0]>, said = false): string =>
    todayText({ baseline_ms: 8, logged: null, inflation: 0.25, ...facts }, said).replaceAll('\u202f', ' ');
  expect(today({ inflation: null })).toBe(
    'Today a step takes 8 ms in the recording; what the profiler adds is not known.',
  );
  expect(today({ logged })).toBe(
    'Today a step takes 8 ms without the profiler, by 240 steps that the run has logged as step_time/total; recorded ones take 25 % longer.',
  );
  expect(today({ logged }, true)).toBe(
    'Today a step takes 8 ms without the profiler, as you say; recorded ones take 25 % longer.',
  );
  expect(today({ inflation: -0.1 }, true)).toContain('recorded ones take no longer');
});

test('milliseconds that are none are not taken', () => {
  expect(['12.5', ' 8 ', '', 'x', '0', '-3', '1e12', 'Infinity', '0.1234567'].map(readStepMs)).toEqual([
    ...[12.5, 8, null, null, null, null, null, null],
    0.123457,
  ]);
});
