// Which rows of a critical path are on it and which off it, and that no two of its parts look the same.
import { expect, it } from 'vitest';
import type { PathRow } from '$api';
import { looksOf, sides } from './path-answers';

const line = (name: string, path_ms: number, off_path_ms: number, slack_ms: number | null): PathRow => ({
  name,
  part: 'compute',
  worker: 'w',
  steps: 1,
  count: 1,
  path_ms,
  share: 0,
  off_path_ms,
  slack_ms,
});

it('lists an operation on both sides when it is on the path only at times', () => {
  const { on, off } = sides([line('a', 5, 1, 2), line('b', 4, 0, null), line('c', 0, 9, 3)]);
  expect(on.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(off.map(({ name }) => name)).toEqual(['c', 'a']);
});

it('tells parts of one group apart', () => {
  const looks = looksOf(['compute', 'op', 'launch', 'python'].map((part) => ({ part })));
  expect(looks.get('compute')).toBe('time-compute');
  expect(looks.get('op')).toBe('time-host');
  expect(new Set(looks.values()).size).toBe(4);
});
