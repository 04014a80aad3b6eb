// The overview's sentence names what takes the most, in words that fit the device.
import { expect, it } from 'vitest';
import { overviewSentence, shares } from './sentence';
import { groupsOf, makeRank, makeReport } from './fixture';

const plain = (text: string): string => text.replace(/\u202f/g, ' ');

it('says what a step takes and the two largest parts', () => {
  const report = makeReport(
    [makeRank({ steps: [177, 178, 177] })],
    groupsOf(178, { compute: 99, input_wait: 59, host: 20 }),
  );
  expect(plain(overviewSentence(report))).toBe(
    'A step takes 177 ms. For 56 % of it the GPU computes, for 33 % it waits for input.',
  );
});

it('keeps to one part when that is nearly all', () => {
  expect(plain(shares(groupsOf(100, { compute: 95, host: 5 }), false, 'GPU'))).toBe('For 95 % of it the GPU computes.');
});

it('names the device once', () => {
  expect(plain(shares(groupsOf(100, { compute: 10, input_wait: 60, host: 30 }), false, 'TPU'))).toBe(
    'For 60 % of it the TPU waits for input, for 30 % it waits for the host.',
  );
});

it('speaks of operations where the CPU is the device', () => {
  expect(plain(shares(groupsOf(100, { compute: 70, input_wait: 30 }), true, 'CPU'))).toBe(
    'For 70 % of it operations run, for 30 % it waits for input.',
  );
  expect(plain(shares(groupsOf(100, { communication: 62, compute: 30, host: 8 }), true, 'CPU'))).toBe(
    'For 62 % of it the step communicates, for 30 % operations run.',
  );
});

it('names the slowest of several ranks', () => {
  const ranks = [makeRank({ worker: 'rank0', steps: [39] }), makeRank({ worker: 'rank1', steps: [40] })];
  const report = { ...makeReport(ranks, groupsOf(39, { compute: 39 })), slowest: 'rank1' };
  expect(plain(overviewSentence(report))).toBe(
    'A step takes 39 ms on 2 ranks. For 100 % of it the GPU computes. rank1 is the slowest.',
  );
});

it('says first what speaks against the numbers', () => {
  const doubted = {
    ...makeReport([makeRank({ steps: [10] })], groupsOf(10, { compute: 10 })),
    quality: [{ level: 'warning' as const, code: 'weak', text: 'Only 1 typical step.' }],
  };
  expect(plain(overviewSentence(doubted))).toBe(
    'Only 1 typical step. A step takes 10 ms. For 100 % of it the GPU computes.',
  );
});

it('says for whom the others wait', () => {
  const waiting = {
    ...makeRank({ worker: 'rank0', steps: [39] }),
    groups: groupsOf(39, { compute: 15, communication: 24 }),
  };
  const report = {
    ...makeReport([waiting, makeRank({ worker: 'rank1', steps: [39] })], groupsOf(39, { compute: 39 })),
    slowest: 'rank1',
  };
  expect(overviewSentence(report)).toMatch(/ The others wait for rank1\.$/);
});

it('does not speak of a step where the whole recording stands in for one', () => {
  const rank = makeRank({ steps: [420] });
  const source = { ...rank.step_source, family: 'window' };
  const report = makeReport([{ ...rank, step_source: source }], groupsOf(420, { untraced: 420 }));
  expect(plain(overviewSentence(report))).toBe('The recording takes 420 ms. For 100 % of it nothing was recorded.');
});
