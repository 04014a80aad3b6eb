// Tracks stand where they were put, the others as they always do, and little of that is written down.
import { expect, it } from 'vitest';
import { inOrder, putBefore, putBy, writtenOrder } from './track-order';

const usual = [3, 1, 4, 9, 5];

it('moved tracks come first in their order, and ids of other processes do not matter', () => {
  expect(inOrder(usual, [])).toEqual(usual);
  expect(inOrder(usual, [77, 9, 3])).toEqual([9, 3, 1, 4, 5]);
});

it('a track is put before another, or last, wherever it was, and what is written down says so', () => {
  for (const id of usual)
    for (const before of [...usual.filter((one) => one !== id), null]) {
      const others = usual.filter((one) => one !== id);
      const at = before === null ? others.length : others.indexOf(before);
      const wanted = [...others.slice(0, at), id, ...others.slice(at)];
      expect(putBefore(usual, id, before)).toEqual(wanted);
      expect(inOrder(usual, writtenOrder(usual, [], wanted))).toEqual(wanted);
    }
  expect(putBefore(usual, 4, 4)).toEqual(usual);
  expect(putBefore(usual, 4, 1000)).toEqual(usual);
  expect(putBefore(usual, 1000, 4)).toEqual(usual);
});

it('what is back in its usual order is not written down, and other processes stay', () => {
  expect(writtenOrder(usual, [77, 9], [4, 3, 1, 9, 5])).toEqual([77, 4]);
  expect(writtenOrder(usual, [77, 4], usual)).toEqual([77]);
});

it('with keys a track changes places with its neighbour, and stays at the ends', () => {
  expect(putBy(usual, 4, -1)).toEqual([3, 4, 1, 9, 5]);
  expect(putBy(usual, 4, 1)).toEqual([3, 1, 9, 4, 5]);
  expect(putBy(usual, 9, 1)).toEqual([3, 1, 4, 5, 9]);
  expect(putBy(usual, 3, -1)).toEqual(usual);
  expect(putBy(usual, 5, 1)).toEqual(usual);
});
