// Reports for tests: a rank with steps of given lengths, and parts that sum to a step.
import type { FindingRow, RankRow, Report as ReportAnswer, StepParts, StepRow } from '$api';
import type { Rank, Report } from './answers';
import { withSteps } from './answers';

const NO_PARTS: StepParts = {
  compute: 0,
  comm: 0,
  h2d: 0,
  d2h: 0,
  d2d: 0,
  compile: 0,
  gc: 0,
  io: 0,
  input: 0,
  sync: 0,
  alloc: 0,
  launch: 0,
  op: 0,
  framework: 0,
  python: 0,
  untraced: 0,
};
const NO_SHARES = { compute: 0, communication: 0, copy: 0, input_wait: 0, host: 0, untraced: 0 };
const NO_IDLE = { ms: 0, share: 0, causes: [] };

export function makeRank({ worker = 'worker0', steps }: { worker?: string; steps: readonly number[] }): Rank {
  const sorted = [...steps].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  let start = 0;
  const rows = steps.map((ms, place): StepRow => {
    const row = {
      step: place + 1,
      worker,
      host: 'machine',
      rank: null,
      start_ms: start,
      ms,
      parts: { ...NO_PARTS, compute: ms },
      overlapped: NO_PARTS,
      typical: Math.abs(ms - median) <= median * 0.05,
      grew: '',
      grew_ms: null,
      warm_up: false,
      may_hold_profiler_start: place === 0,
      waiting_ms: null,
    };
    start += ms;
    return row;
  });
  return {
    worker,
    host: 'machine',
    rank: null,
    file: `${worker}.pt.trace.json`,
    framework: 'PyTorch',
    devices: ['Tesla V100'],
    cpu_only: false,
    summary: '',
    step_source: 'ProfilerStep#',
    step_sources: ['ProfilerStep#'],
    step_family: 'profiler_step',
    typical_steps: rows.filter(({ typical }) => typical).length,
    step_ms: { median, p95: sorted[sorted.length - 1] ?? 0, typical: median },
    breakdown: { ...NO_SHARES, compute: 1 },
    parts: { ...NO_PARTS, compute: median },
    overlapped: NO_PARTS,
    waiting_ms: null,
    transfer_ms: null,
    most_exposed: [],
    idle: NO_IDLE,
    tpu: null,
    steps: rows,
    groups: [],
  };
}

export function makeFinding(facts: Partial<FindingRow>): FindingRow {
  return {
    rule: 'input_bound',
    verdict: 'fires',
    noted: false,
    title: 'Load input in the background',
    summary: '',
    evidence: [],
    gain: null,
    step_ms: null,
    promise: '',
    code: '',
    change: { tensorflow: '', pytorch: '', jax: '' },
    wrong_when: '',
    option: '',
    proven: 'drawn',
    proven_trainings: 0,
    ...facts,
  };
}

export function makeReport(ranks: Rank[]): Report {
  const first = ranks[0];
  const answer: ReportAnswer = {
    range: null,
    definitions: 1,
    session: 'session',
    summary: '',
    format: 'kineto',
    framework: 'PyTorch',
    captured_seconds: 1_700_000_000,
    files: ranks.map(({ file }) => file),
    devices: [],
    step_source: 'ProfilerStep#',
    step_sources: ['ProfilerStep#'],
    step_ms: first?.step_ms ?? { median: 0, p95: 0, typical: 0 },
    breakdown: first?.breakdown ?? NO_SHARES,
    parts: first?.parts ?? NO_PARTS,
    overlapped: NO_PARTS,
    communication: { split: '', waiting_ms: null, transfer_ms: null },
    slow_steps: [],
    most_exposed: [],
    matrix_core: { used: 0, unknown: 0 },
    ranks: ranks.map((rank): RankRow => ({ ...rank, steps: rank.steps.length })),
    disagreements: [],
    longest: first?.worker ?? '',
    slowest: '',
    waited_for: '',
    ranks_apart: 0,
    ranks_equal: true,
    ranks_text: '',
    findings: [],
    checked: { rules: 32, fires: 0, quiet: 32, noted: 0, cannot_tell: 0, text: '32 checked, 32 quiet, 0 cannot tell' },
    replay_error: null,
    inflation: null,
    unprofiled_ms: null,
    logged_step: null,
    data_quality: {
      steps: first?.steps.length ?? 0,
      typical_steps: first?.typical_steps ?? 0,
      first_step_may_hold_profiler_start: false,
      first_step_unlike: false,
      device_spans: 0,
      unlinked: 0,
      unlinked_share: 0,
      dropped_events: false,
      cut_short: false,
      missing_ranks: [],
      clock_error_us: null,
      weak: [],
      notes: [],
    },
    throughput: {
      steps_per_second: 0,
      ranks: ranks.length,
      batch_size: null,
      batch_size_from: '',
      batch_sizes: [],
      examples_per_second: null,
      tokens_per_second: null,
      input_bytes_per_second: null,
      copied_to_devices_bytes_per_second: null,
      unknown: '',
      facts: [],
    },
    epochs: [],
    tpu: null,
    request: '',
    programs: 0,
    empty_views: [],
    broken: [],
  };
  return withSteps(
    answer,
    ranks.flatMap(({ steps }) => steps),
  );
}
