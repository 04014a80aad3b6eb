// Facts above the profile: devices counted, the source of steps named, workers told apart by what differs.
import { expect, it } from 'vitest';
import type { Session } from '../answers';
import { crowdedRuns, deviceText, ranksOf, sessionLabel, sourceText, warmUpOf, workerLabels } from './facts';
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

it('lets the ranks in one file be chosen once they are known', () => {
  const file = { worker: 'all', file: 'all.json', format: 'kineto', bytes: 1, problem: null };
  const ranks = ['all rank 0', 'all rank 1'].map((worker) => ({ ...makeRank({ steps: [1] }), worker }));
  expect(ranksOf({ workers: [file] }, null)).toEqual([file]);
  expect(ranksOf({ workers: [file] }, report(...ranks)).map(({ worker }) => worker)).toEqual([
    'all rank 0',
    'all rank 1',
  ]);
  expect(ranksOf({ workers: [file, file] }, report(...ranks))).toEqual([file, file]);
});

it('shortens workers by the end that they share', () => {
  const labels = (...workers: string[]): string[] => [...workerLabels(workers.map((worker) => ({ worker }))).values()];
  expect(labels('worker0_step_12', 'worker1_step_12')).toEqual(['worker0', 'worker1']);
  expect(labels('only_one')).toEqual(['only_one']);
  expect(labels('host.a', 'host.b')).toEqual(['host.a', 'host.b']);
});

it('calls workers by their rank, unless two say the same', () => {
  const hosts = [0, 1].map((rank) => ({ worker: `host_${rank}`, rank }));
  expect([...workerLabels(hosts).values()]).toEqual(['rank 0', 'rank 1']);
  expect([...workerLabels([{ worker: 'rank10' }, { worker: 'rank_20' }]).values()]).toEqual(['rank 10', 'rank 20']);
  expect([...workerLabels(hosts.map((host) => ({ ...host, rank: 0 }))).values()]).toEqual(['host_0', 'host_1']);
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
