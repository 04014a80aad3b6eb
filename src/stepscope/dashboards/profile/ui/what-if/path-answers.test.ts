// Which rows of a critical path are on it and which beside it.
import { expect, it } from 'vitest';
import { sides, type PathLine } from './path-answers';

const line = (name: string, path_ms: number, beside_ms: number, slack_ms: number | null): PathLine => ({
  name,
  part: 'compute',
  worker: 'w',
  steps: 1,
  path_ms,
  share: 0,
  beside_ms,
  slack_ms,
});

it('lists an operation on both sides when it is on the path only at times', () => {
  const { on, beside } = sides([line('a', 5, 1, 2), line('b', 4, 0, null), line('c', 0, 9, 3)]);
  expect(on.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(beside.map(({ name }) => name)).toEqual(['c', 'a']);
});
