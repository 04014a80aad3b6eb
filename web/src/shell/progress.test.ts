// Loading is told in files and bytes, and ends.
import { expect, it } from 'vitest';
import { progressOf } from './progress';

const loading = { state: 'loading' as const, files_done: 12, files: 40, bytes_done: 10485760, bytes: 73400320 };

it('says how many files and bytes are read', () => {
  const progress = progressOf(loading);
  expect(progress?.share).toBeCloseTo(1 / 7);
  expect(progress?.words.replaceAll('\u202f', ' ')).toBe('Reading 12 of 40 files, 10 MiB of 70 MiB');
});

it('has no share while folders are listed or files are empty', () => {
  expect(progressOf({ ...loading, state: 'scanning' })?.share).toBe(0);
  expect(progressOf({ ...loading, bytes: 0 })?.share).toBe(0);
});

it('is silent when all is read', () => {
  expect(progressOf({ ...loading, state: 'live' })).toBeNull();
  expect(progressOf({ ...loading, state: 'once' })).toBeNull();
  expect(progressOf(null)).toBeNull();
});
