// Columns of epochs: heights in proportion, parts that are not known, and many epochs in little room.
import { describe, expect, it } from 'vitest';
import type { EpochTime, LoggedEpochs } from '$api';
import { epochColumns, epochsText, medianOf, partsOfEpochs, sharesOfParts } from './epoch-layout';
import { loggedText } from './logged-throughput';
import { loggedRates, rateText } from './throughput-answers';

function epochOf(number: number, seconds: number, parts: Partial<EpochTime> = {}): EpochTime {
  return {
    epoch: number,
    steps: 10,
    seconds,
    first_step_seconds: null,
    train_seconds: null,
    validation_seconds: null,
    checkpoint_seconds: null,
    between_seconds: null,
    examples_per_second: null,
    ...parts,
  };
}

const known = epochOf(0, 10, {
  first_step_seconds: 1,
  train_seconds: 6,
  validation_seconds: 2,
  checkpoint_seconds: 0,
  between_seconds: 1,
});

describe('columns of epochs', () => {
  it('stack the parts upwards in proportion', () => {
    const [column] = epochColumns([known], { width: 100, height: 200, longest: 20 });
    expect(column?.boxes).toEqual([
      { part: 'train', y: 140, height: 60 },
      { part: 'first_step', y: 130, height: 10 },
      { part: 'validation', y: 110, height: 20 },
      { part: 'between', y: 100, height: 10 },
    ]);
  });

  it('are one box where no parts are known', () => {
    const [column] = epochColumns([epochOf(3, 5)], { width: 100, height: 100, longest: 10 });
    expect(column?.boxes).toEqual([{ part: 'unknown', y: 50, height: 50 }]);
  });

  it('show the longest of those that share a column', () => {
    const many = Array.from({ length: 1000 }, (_, place) => epochOf(place, place === 501 ? 9 : 3));
    const columns = epochColumns(many, { width: 300, height: 100, longest: 9 });
    expect(columns.length).toBe(100);
    expect(columns[50]?.epoch.epoch).toBe(501);
    expect(columns.every(({ count }) => count === 10)).toBe(true);
    expect(Math.max(...columns.map(({ x, width }) => x + width))).toBeLessThanOrEqual(300);
  });

  it('are none without epochs', () => {
    expect(epochColumns([], { width: 300, height: 100, longest: 0 })).toEqual([]);
  });
});

it('lists the parts that there are', () => {
  expect(partsOfEpochs([known]).map(({ part }) => part)).toEqual(['train', 'first_step', 'validation', 'between']);
  expect(sharesOfParts([known, epochOf(1, 100)]).map(({ label, share }) => [label, share])).toEqual([
    ['Train', 0.6],
    ['Validation', 0.2],
    ['First step', 0.1],
    ['Between', 0.1],
  ]);
});

it('says what epochs take and consist of', () => {
  expect(epochsText([epochOf(1, 5)], 1)).toMatch(/^1 epoch,.* 5\u202fs/);
  expect(epochsText([known], 7)).toMatch(/^7 epochs,.* 10\u202fs: train 60%, validation 20%, first step 10%\.$/);
});

it('has the middle of an even number of values', () => {
  expect([medianOf([]), medianOf([3]), medianOf([4, 1]), medianOf([9, 1, 2])]).toEqual([0, 3, 2.5, 2]);
});

it('writes rates with their unit', () => {
  expect(rateText(null, '')).toBe('–');
  expect(rateText(76.54, '')).toBe('76.5/s');
  expect(rateText(12_345.6, '')).toBe('12\u202f346/s');
  expect(rateText(52_428_800, 'B')).toBe('52.4\u202fMB/s');
});

it('counts by the steps that were logged and what the user says', () => {
  const logged: LoggedEpochs = {
    run: '',
    run_name: '',
    series: ['epoch', 'step_time/total'],
    epochs: [],
    epochs_total: 0,
    step_seconds: 0.5,
    steps_logged: 30,
    batch_size: null,
    batch_size_from: 'Nobody knows.',
    note: '',
  };
  const [steps, examples, tokens] = loggedRates(logged, 16, 4);
  expect([steps?.per_second, examples?.per_second, tokens?.per_second]).toEqual([2, 32, 128]);
  expect(steps?.origin).toMatch(/30 steps .*step_time\/total/);
  expect(loggedRates(logged, null, 4).map(({ per_second }) => per_second)).toEqual([2, null, null]);
  expect(loggedRates(logged, null, 4)[1]?.origin).toBe('Nobody knows.');
  const told = { ...logged, batch_size: 8, batch_size_from: 'the hyperparameter batch_size' };
  expect(loggedRates(told, null, null)[1]).toMatchObject({
    per_second: 16,
    origin: expect.stringMatching(/8 .*the hyperparameter batch_size/) as string,
  });
  expect(loggedRates(told, 16, null)[1]?.per_second).toBe(32);
  expect(loggedRates({ ...logged, step_seconds: null }, 16, 4)).toEqual([]);
  expect(loggedText({ ...logged, note: 'Too few.' })).toMatch(/^2 steps .*\. Too few\.$/);
});
