// Names say whether lower or higher is better.
import { expect, it } from 'vitest';
import { goalOf } from './goals';

it('is the lowest of a loss and the highest of an accuracy', () => {
  const best = ['loss', 'val/accuracy', 'evalF1', 'perplexity', 'tokens_per_sec', 'mapping/error'].map((tag) =>
    goalOf(tag, []),
  );
  expect(best).toEqual(['min', 'max', 'max', 'min', 'max', 'min']);
});

it('is the other one where the user says so', () => {
  expect([goalOf('loss', ['loss']), goalOf('accuracy', ['accuracy', 'loss'])]).toEqual(['max', 'min']);
});
