// Reports for tests: a rank with steps of given lengths, and groups that sum to a step.
import type { TimeGroup } from '$web/style/theme';
import type { Finding, GroupTime, Rank, Report, Step } from './answers';
import { GROUP_ORDER } from './groups';

export function groupsOf(total: number, ms: Partial<Record<TimeGroup, number>>): GroupTime[] {
  return GROUP_ORDER.map((group) => {
    const own = ms[group] ?? 0;
    return { group, ms: own, share: own / total, parts: [{ part: group, ms: own, overlapped_ms: 0 }] };
  });
}

export function makeRank({ worker = 'worker0', steps }: { worker?: string; steps: readonly number[] }): Rank {
  const sorted = [...steps].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  let start = 0;
  const rows = steps.map((ms, place): Step => {
    const row = {
      step: place + 1,
      start_ms: start,
      ms,
      parts: [ms, ...Array<number>(15).fill(0)],
      typical: Math.abs(ms - median) <= median * 0.05,
      warm_up: false,
      grew: null,
      grew_ms: null,
      waiting_ms: null,
    };
    start += ms;
    return row;
  });
  return {
    worker,
    host: 'machine',
    rank: null,
    framework: 'PyTorch',
    devices: ['Tesla V100'],
    cpu_only: false,
    sentence: '',
    step_source: { family: 'profiler_step', text: 'ProfilerStep#', steps: steps.length, alternatives: [] },
    step_ms: { median, p95: sorted[sorted.length - 1] ?? 0, typical: median },
    groups: groupsOf(median, { compute: median }),
    waiting_ms: null,
    steps: rows,
    where: [],
    idle: { ms: 0, share: 0, causes: [] },
    tpu: null,
  };
}

export function makeFinding(facts: Partial<Finding>): Finding {
  return {
    rule: 'input_bound',
    verdict: 'fires',
    title: 'Load the input beside the step',
    summary: '',
    evidence: [],
    gain: null,
    step_ms: null,
    change: '',
    wrong_when: '',
    option: '',
    ...facts,
  };
}

export function makeReport(ranks: Rank[], groups: GroupTime[]): Report {
  const first = ranks[0];
  return {
    definitions: 1,
    format: 'kineto',
    captured: 1_700_000_000,
    sentence: '',
    step_ms: first?.step_ms ?? { median: 0, p95: 0, typical: 0 },
    groups,
    ranks,
    waiting_ms: null,
    disagreements: [],
    slowest: null,
    ranks_said: '',
    waited_for: null,
    where: [],
    idle: { ms: 0, share: 0, causes: [] },
    idle_of: first?.worker ?? '',
    findings: [],
    checked: '32 checked, 32 quiet, 0 cannot tell',
    replay_error: null,
    range: null,
    broken: [],
    quality: [],
    programs: 0,
    throughput: [],
    tpu: null,
    request: '',
  };
}
