// What is shown where the address does not say it, or names what is gone.
import { expect, it } from 'vitest';
import type { SessionRow } from '$api';
import { sessionOf, workerIn } from './chosen-session';

const session = (id: string, run: string, has_steps = true): SessionRow =>
  ({ id, run, has_steps, workers: [] }) as unknown as SessionRow;
const sessions = [session('m', 'r1', false), session('b', 'r2'), session('a', 'r2')];

it('is the session of the address, the newest of a run, or the first with steps', () => {
  expect(sessionOf(sessions, 'a')?.id).toBe('a');
  expect(sessionOf(sessions, 'r2')?.id).toBe('b');
  expect(sessionOf(sessions, 'gone')?.id).toBe('b');
  expect(sessionOf(sessions.slice(0, 1), '')?.id).toBe('m');
  expect(sessionOf([], '')).toBeUndefined();
});

it('is the worker of the address, or the first whose file is whole', () => {
  const workers = [
    { worker: 'cut', problem: 'truncated' },
    { worker: 'whole', problem: null },
  ] as unknown as SessionRow['workers'];
  expect(workerIn({ workers }, '')).toBe('whole');
  expect(workerIn({ workers }, 'cut')).toBe('cut');
  expect(workerIn({ workers: workers.slice(0, 1) }, '')).toBe('cut');
  expect(workerIn({ workers: [] }, '')).toBe('');
});
