// Addresses have the places of their path filled, and leave to the server what is not said.
import { expect, it } from 'vitest';
import { addressOf, filledPath } from './routes';

it('fills the places of a path, and leaves the rest', () => {
  expect(filledPath('jobs/{id}/cancel', { id: 'a/b', why: 1 })).toEqual({
    path: 'jobs/a%2Fb/cancel',
    rest: { why: 1 },
  });
});

it('writes what is said into the query', () => {
  expect(addressOf('runs/{id}/about', { id: 'abc', fold: false })).toBe('runs/abc/about?fold=false');
  expect(addressOf('images/image', { run: 'abc', tag: 'a&b=<c>#', step: 0, wall: null, sample: 2 })).toBe(
    'images/image?run=abc&tag=a%26b%3D%3Cc%3E%23&step=0&sample=2',
  );
  expect(addressOf('scalars/export', { run: ['a', 'b'], tag: [] })).toBe('scalars/export?run=a&run=b');
  expect(addressOf('health', { run: '' })).toBe('health');
});
