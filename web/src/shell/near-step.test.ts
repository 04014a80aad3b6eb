// The nearest logged value of each tag, over all runs that have it.
import { expect, it } from 'vitest';
import { nearProfiles, nearestStep, nearValues } from './near-step';

it('finds the nearest step, the earlier of two equally near', () => {
  expect(nearestStep([0, 10, 20], 12)).toBe(10);
  expect(nearestStep([0, 10, 20], 15)).toBe(10);
  expect(nearestStep([0, 10, 20], 99)).toBe(20);
  expect(nearestStep([], 5)).toBeNull();
});

it('takes the nearest of all runs, and the nearest tags first', () => {
  const found = [
    { series: { run: 'a', tag: 'far' }, steps: { step: Float64Array.of(0) } },
    { series: { run: 'a', tag: 'near' }, steps: { step: Float64Array.of(0, 40) } },
    { series: { run: 'b', tag: 'near' }, steps: { step: Float64Array.of(48, 60) } },
    { series: { run: 'b', tag: 'none' }, steps: { step: new Float64Array() } },
  ];
  expect(nearValues('images', found, 50)).toEqual([
    { media: 'images', tag: 'near', step: 48 },
    { media: 'images', tag: 'far', step: 0 },
  ]);
});

it('finds the nearest profiles, each once', () => {
  const mark = (session: string | null, step: number, run = 'a', kind: 'profile' | 'epoch' = 'profile') => ({
    run,
    kind,
    step,
    exact: false,
    label: `trace ${session}`,
    session,
  });
  const marks = [
    mark('x', 10),
    mark('x', 40, 'b'),
    mark('y', 48),
    mark('z', 500),
    mark('w', 900),
    mark(null, 50, 'a', 'epoch'),
  ];
  expect(nearProfiles(marks, 50).map(({ session, step }) => [session, step])).toEqual([
    ['y', 48],
    ['x', 40],
    ['z', 500],
  ]);
});
