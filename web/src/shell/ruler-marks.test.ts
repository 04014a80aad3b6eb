// Marks of several runs at one step are one, and the pointer and the keyboard find the nearest and the next.
import type { RunMark } from '$api';
import { expect, it } from 'vitest';
import { gatherMarks, markAt, nextMark, spacedMarks } from './ruler-marks';

const mark = (kind: RunMark['kind'], step: number, run = 'a', label = '1', exact = true): RunMark => ({
  run,
  kind,
  step,
  exact,
  label,
  session: null,
});
const all = gatherMarks(
  [mark('epoch', 20), mark('epoch', 10), mark('epoch', 10, 'b'), mark('profile', 14, 'a', 'trace', false)],
  [12],
  (run) => `run ${run}`,
);
const same = (step: number): number => step;

it('gathers marks by step and kind', () => {
  expect(all.map(({ kind, step }) => [kind, step])).toEqual([
    ['epoch', 10],
    ['restart', 12],
    ['profile', 14],
    ['epoch', 20],
  ]);
  expect(all[0]?.words).toBe('Epoch at step 10: 1, run a; 1, run b');
  expect(all[2]?.words).toBe('Profile about step 14: trace, run a');
});

it('names the checkpoint that is on disk', () => {
  const [saved] = gatherMarks([mark('checkpoint', 5, 'a', ''), mark('checkpoint', 5, 'a', 'ckpt-5')], [], () => 'run');
  expect(saved?.words).toBe('Checkpoint at step 5: run; ckpt-5, run');
});

it('draws one of those that are too close, kind by kind', () => {
  const close = gatherMarks([mark('epoch', 1), mark('epoch', 2), mark('text', 2), mark('epoch', 9)], [], () => '');
  expect(spacedMarks(close, same, 3).map(({ kind, step }) => [kind, step])).toEqual([
    ['epoch', 1],
    ['text', 2],
    ['epoch', 9],
  ]);
});

it('finds the nearest and the next', () => {
  expect(markAt(all, same, 13.4, 5)?.step).toBe(14);
  expect(markAt(all, same, 30, 5)).toBeNull();
  expect(nextMark(all, null, true)?.step).toBe(10);
  expect(nextMark(all, 12, true)?.step).toBe(14);
  expect(nextMark(all, 12, false)?.step).toBe(10);
  expect(nextMark(all, 20, true)).toBeNull();
});
