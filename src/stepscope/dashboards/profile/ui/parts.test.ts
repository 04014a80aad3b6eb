// @vitest-environment happy-dom
// The parts of the tab: which are listed for a session, which is shown, and what is there without a profile.
import { expect, it } from 'vitest';
import type { Report, Session } from './answers';
import { makeRank, makeReport } from './fixture';
import { LOGGED_PARTS, loggedPartOf, partOf, partsOf } from './parts';

const timed = { has_steps: true } as unknown as Session;
const memory = { has_steps: false } as unknown as Session;
const report = (more: Partial<Report>): Report => ({ ...makeReport([makeRank({ steps: [1, 1] })]), ...more });
const ids = (session: Session, found: Report | null, asked = ''): string[] =>
  partsOf(session, found, asked).map(({ id }) => id);

it('lists what has something to show, and what the address names', () => {
  expect(ids(timed, report({ programs: 0 }))).not.toContain('hlo');
  expect(ids(timed, report({ programs: 2 }))).toContain('hlo');
  expect(ids(timed, null)).not.toContain('trend');
  expect(ids(timed, null, 'trend')).toContain('trend');
  expect(ids(timed, null)[0]).toBe('report');
});

it('has memory alone for a session without times', () => {
  expect(ids(memory, null, 'ops')).toEqual(['memory']);
});

it('shows the part of the address where the session has it, else the first', () => {
  expect([partOf(timed, 'kernels')?.id, partOf(timed, 'nothing')?.id, partOf(memory, 'kernels')?.id]).toEqual([
    'kernels',
    'report',
    'memory',
  ]);
});

it('dims requests where the profile has none', () => {
  const requests = partsOf(timed, null, '').find(({ id }) => id === 'inference');
  expect(requests?.dimmed?.(report({ request: 'predict' }))).toBeUndefined();
  expect(requests?.dimmed?.(report({ request: '' }))).toBeTruthy();
});

it.each(['memory', 'counters', 'modules'])('dims %s where the profile has nothing for it', (id) => {
  const part = partsOf(timed, null, '').find((one) => one.id === id);
  expect(part?.dimmed?.(report({ empty_views: [] }))).toBeUndefined();
  expect(part?.dimmed?.(report({ empty_views: [id] }))).toBeTruthy();
});

it('has the parts that logs alone can fill by the ids of their counterparts', () => {
  const all = new Set(ids(timed, null));
  for (const { id } of LOGGED_PARTS) expect(all.has(id as never)).toBe(true);
  expect([loggedPartOf('memory')?.label, loggedPartOf('ops')]).toEqual(['Memory', undefined]);
});
