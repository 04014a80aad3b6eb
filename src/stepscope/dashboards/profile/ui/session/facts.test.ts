// Facts above the profile: devices counted, the source of steps named, workers told apart by what differs.
import { expect, it } from 'vitest';
import type { Session } from '../answers';
import { crowdedRuns, deviceText, sessionLabel, shortWorkers, sourceText, warmUpOf } from './facts';
import { makeRank, makeReport } from '../fixture';

const report = (...ranks: ReturnType<typeof makeRank>[]): ReturnType<typeof makeReport> => makeReport(ranks);

it('counts equal devices and names the CPU where there is none', () => {
  const rank = makeRank({ steps: [1] });
  expect(deviceText(report(rank, rank))).toBe('2 × Tesla V100');
  const nameless = ['GPU 0', 'GPU 1'].map((name) => ({ ...rank, devices: [name] }));
  expect(deviceText(report(...nameless))).toBe('2 × GPU');
  expect(deviceText(report({ ...rank, devices: ['GPU 3'] }))).toBe('GPU 3');
  expect(deviceText(report({ ...rank, devices: [], cpu_only: true }))).toBe('CPU');
});

it('says how steps were found', () => {
  const rank = makeRank({ steps: [1, 1, 1] });
  expect(sourceText(report(rank))).toBe('3 steps by ProfilerStep#');
  expect(sourceText(report({ ...rank, step_family: 'window' }))).toMatch(/^no steps/);
});

it('shortens workers by the end that they share', () => {
  expect([...shortWorkers(['worker0_step_12', 'worker1_step_12']).values()]).toEqual(['worker0', 'worker1']);
  expect([...shortWorkers(['rank10', 'rank20']).values()]).toEqual(['rank10', 'rank20']);
  expect([...shortWorkers(['only_one']).values()]).toEqual(['only_one']);
  expect([...shortWorkers(['host.a', 'host.b']).values()]).toEqual(['host.a', 'host.b']);
});

it('calls a session by its run, and knows where that is not enough', () => {
  const session = (run: string, name: string): Session =>
    ({ id: name, run, run_name: run, name, time: 0, bytes: 0, has_steps: true, workers: [] }) as Session;
  expect(sessionLabel(session('train', 's1'))).toBe('train');
  expect(sessionLabel(session('.', 's1'))).toBe('s1');
  const inside = { worker: 'host', file: 'events', format: 'run_metadata', bytes: 1, problem: null };
  expect(sessionLabel({ ...session('train', 'step019'), workers: [inside] })).toBe('train step019');
  expect([...crowdedRuns([session('a', '1'), session('b', '2'), session('a', '3')])]).toEqual(['a']);
});

it('leaves out the longest warm-up of all ranks', () => {
  const rank = (warm: number): ReturnType<typeof makeRank> => {
    const made = makeRank({ worker: `worker${warm}`, steps: [9, 9, 3, 3, 3] });
    return { ...made, steps: made.steps.map((step, place) => ({ ...step, warm_up: place < warm })) };
  };
  expect(warmUpOf(report(rank(1), rank(2)))).toEqual({ range: '3:', text: '2 steps' });
  expect(warmUpOf(report(rank(0)))).toBeNull();
  expect(warmUpOf(null)).toBeNull();
});
