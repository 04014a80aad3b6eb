// Points stand where their labels say, sessions of the chosen run are drawn at first, and only what is known is measured.
import { expect, it } from 'vitest';
import type { Session } from '../answers';
import type { TrendPointRow } from '$api';
import { drawn, measuresOf, places } from './trend-answers';

const point = (position: number | null, facts: Partial<TrendPointRow> = {}): TrendPointRow => ({
  session: String(position),
  name: '',
  first_step: 0,
  label: String(position),
  position,
  steps: 5,
  step_ms: 4,
  noise_ms: 0.1,
  steps_per_second: 250,
  examples_per_second: null,
  breakdown: { compute: 0.5, untraced: 0.5 },
  peaks: [],
  ...facts,
});
const session = (id: string, run: string, has_steps = true): Session => ({
  id,
  run,
  run_name: run,
  name: id,
  time: 0,
  bytes: 0,
  has_steps,
  workers: [],
});

it('places points by number, by factor, or one after the other', () => {
  expect(places([point(8), point(16), point(24)])).toEqual([0, 0.5, 1]);
  expect(places([point(1), point(10), point(100)])).toEqual([0, 0.5, 1]);
  expect(places([point(null), point(3), point(4)])).toEqual([0, 0.5, 1]);
  expect(places([point(4), point(4)])).toEqual([0, 1]);
  expect(places([point(4)])).toEqual([0.5]);
});

it('draws the sessions of the chosen run, or those that are named', () => {
  const all = [session('c', 'run'), session('b', 'other'), session('a', 'run'), session('m', 'run', false)];
  expect(drawn(all, session('c', 'run'), '')).toEqual(['a', 'c']);
  expect(drawn(all, session('c', 'run'), 'b,c,gone')).toEqual(['b', 'c']);
});

it('shows examples instead of steps where they are known, and memory only then', () => {
  const titles = (one: TrendPointRow): string[] => measuresOf([one]).map(({ title }) => title);
  expect(titles(point(1))).toEqual(['Step time', 'Steps per second', 'Compute share']);
  expect(titles(point(1, { examples_per_second: 9, peaks: [{ memory: 'GPU 0', bytes: 8 }] }))).toEqual([
    'Step time',
    'Examples per second',
    'Compute share',
    'Peak memory',
  ]);
});
