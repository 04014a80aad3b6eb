// A job's progress in words and as a share, whatever the server knows of it.
import { describe, expect, it } from 'vitest';
import type { Job } from '../api/jobs';
import { shareOf, wordsOf } from './job-progress';

const job: Job = {
  id: '1',
  title: 'Export 400 series as CSV',
  state: 'running',
  done: 120,
  total: 400,
  unit: 'series',
  words: '310 MB written',
  created: 0,
  finished: null,
  error: null,
  result_at: null,
};

describe('a job', () => {
  it('has a share when the total is known', () => {
    expect(shareOf(job)).toBeCloseTo(0.3);
    expect(shareOf({ ...job, total: null })).toBeNull();
    expect(shareOf({ ...job, total: 0 })).toBeNull();
    expect(shareOf({ ...job, done: 500 })).toBe(1);
    expect(shareOf({ ...job, state: 'done', total: null })).toBe(1);
  });

  it('says what was counted, and what it does', () => {
    expect(wordsOf(job)).toContain('120 of 400 series');
    expect(wordsOf(job)).toContain('310 MB written');
    expect(wordsOf({ ...job, total: null, words: '' })).toBe('120 series');
    expect(wordsOf({ ...job, unit: '', words: '' })).not.toBe('');
  });

  it('says why it failed', () => {
    expect(wordsOf({ ...job, state: 'failed', error: 'No room.' })).toContain('No room.');
  });
});
