// @vitest-environment happy-dom
// The selection is saved, or what is shown; Perfetto gets the address of the trace and the same window.
import { expect, it } from 'vitest';
import { perfettoAddress, savedWindow } from './saved-window';

it('the selection comes first, and the whole profile is no window', () => {
  expect(savedWindow([1, 2], [0, 50], 100)).toEqual([1, 2]);
  expect(savedWindow(null, [0, 50], 100)).toEqual([0, 50]);
  expect(savedWindow(null, [0, 100], 100)).toBeNull();
});

it('the address has the trace and the window in nanoseconds', () => {
  const address = new URL(perfettoAddress('api/v1/profile/a/trace?format=pftrace', [10, 20.5], 1_700_000_000));
  expect(address.pathname).toBe('/perfetto/');
  const question = new URLSearchParams(address.hash.slice('#!/?'.length));
  expect(question.get('url')).toBe(`${location.origin}/api/v1/profile/a/trace?format=pftrace`);
  expect(question.get('visStart')).toBe('1700000000000010000');
  expect(question.get('visEnd')).toBe('1700000000000020500');
  expect(perfettoAddress('a', null, 1)).not.toContain('visStart');
  expect(perfettoAddress('a', [1, 2], null), 'the clock of the trace is not known').not.toContain('visStart');
});
