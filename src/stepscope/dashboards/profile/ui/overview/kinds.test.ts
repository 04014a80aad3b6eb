// Rows of the table of kinds: found by kind, by words, and by a span's whole name.
import { expect, test } from 'vitest';
import type { SpanCategoryRow } from '$api';
import { fits, rowsFor } from './kinds';

function row(pattern: string, kind: string, origin = 'TensorFlow or JAX profile'): SpanCategoryRow {
  return { pattern, kind, held_against: 'host events', origin, yours: false };
}

const ROWS = [row('IteratorGetNext*', 'input'), row('*:SaveV2', 'io'), row('load_*', 'input', '/data/span_kinds.toml')];

test('patterns fit whole names', () => {
  expect(fits('load_batch', 'load_batch')).toBe(true);
  expect(fits('load_batch', 'load_batches')).toBe(false);
  expect(fits('a*b*c', 'aXbYc')).toBe(true);
  expect(fits('a*b*c', 'acb')).toBe(false);
  expect(fits('a*a', 'a')).toBe(false);
  expect(fits('*', '')).toBe(true);
  expect(fits('*b*bc', 'abc')).toBe(false);
});

test('rows are found by kind, by words and by a name that they fit', () => {
  const found = (words: string) => rowsFor(ROWS, words).map(({ pattern }) => pattern);
  expect(found('')).toHaveLength(3);
  expect(found('io')).toEqual(['*:SaveV2']);
  expect(found(' savev2 ')).toEqual(['*:SaveV2']);
  expect(found('model:SaveV2')).toEqual(['*:SaveV2']);
  expect(found('Load_Batch')).toEqual(['load_*']);
  expect(found('span_kinds.toml')).toEqual(['load_*']);
  expect(found('nothing')).toEqual([]);
});
