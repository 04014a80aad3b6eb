// The six groups of a step's time and the parts inside them: their order, names and definitions in one place.
import type { TimeGroup } from '$web/style/theme';
import type { StepParts } from '$api';

export interface PartTime {
  part: string;
  ms: number;
  overlapped_ms: number;
}

/** One of the six groups of a step, with the classes of time inside it. */
export interface GroupTime {
  group: TimeGroup;
  ms: number;
  share: number;
  parts: PartTime[];
}

export interface GroupWords {
  group: TimeGroup;
  label: string;
  definition: string;
}

/** In the order in which bars and columns stack them. */
export const GROUPS: readonly GroupWords[] = [
  {
    group: 'compute',
    label: 'Compute',
    definition:
      'At least one kernel that is not communication runs on the device. On a machine without a device: an operation of 10 µs or more runs on the CPU.',
  },
  {
    group: 'communication',
    label: 'Communication',
    definition: 'A collective runs (NCCL, RCCL, gloo, MPI) and nothing computes at the same time.',
  },
  {
    group: 'copy',
    label: 'Copy',
    definition: 'Memory is copied or filled, and nothing computes or communicates at the same time.',
  },
  {
    group: 'input_wait',
    label: 'Input wait',
    definition:
      'The step waits for the next batch, and the device is idle. Background work of loader threads is not counted.',
  },
  {
    group: 'host',
    label: 'Host',
    definition:
      'The device is idle while the threads that control it are busy: compiling, launching, waiting, allocating, running operations, framework code or Python.',
  },
  {
    group: 'untraced',
    label: 'Untraced',
    definition: 'Not covered by the trace: neither the device nor a controlling thread has a span at this time.',
  },
];

export const GROUP_ORDER: readonly TimeGroup[] = GROUPS.map(({ group }) => group);

const BY_GROUP = new Map(GROUPS.map((words) => [words.group, words]));

export function groupLabel(group: TimeGroup): string {
  return BY_GROUP.get(group)?.label ?? group;
}

export function groupDefinition(group: TimeGroup): string {
  return BY_GROUP.get(group)?.definition ?? '';
}

export function isGroup(text: string): text is TimeGroup {
  return BY_GROUP.has(text as TimeGroup);
}

/** The parts in the order in which a step's row lists them, each with its group. */
const GROUP_OF_PART: readonly (readonly [part: keyof StepParts, group: TimeGroup])[] = [
  ['compute', 'compute'],
  ['comm', 'communication'],
  ['h2d', 'copy'],
  ['d2h', 'copy'],
  ['d2d', 'copy'],
  ['compile', 'host'],
  ['gc', 'host'],
  ['io', 'host'],
  ['input', 'input_wait'],
  ['sync', 'host'],
  ['alloc', 'host'],
  ['launch', 'host'],
  ['op', 'host'],
  ['framework', 'host'],
  ['python', 'host'],
  ['untraced', 'untraced'],
];

/** What lies between operations of a critical path counts as the host's. */
export function groupOfPart(part: string): TimeGroup {
  return GROUP_OF_PART.find(([each]) => each === part)?.[1] ?? 'host';
}

/** Milliseconds of the six groups, in their order, from those of the parts. */
export function groupSums(parts: StepParts): number[] {
  const sums = GROUP_ORDER.map(() => 0);
  for (const [part, group] of GROUP_OF_PART) {
    const at = GROUP_ORDER.indexOf(group);
    sums[at] = (sums[at] ?? 0) + parts[part];
  }
  return sums;
}

/** The groups of a step as the bar shows them; a part without any time is left out. */
export function groupTimes(parts: StepParts, overlapped: StepParts): GroupTime[] {
  const sums = groupSums(parts);
  const total = sums.reduce((sum, ms) => sum + ms, 0);
  return GROUP_ORDER.map((group, place) => {
    const own = GROUP_OF_PART.filter(([part, of]) => of === group && (parts[part] > 0 || overlapped[part] > 0)).map(
      ([part]) => ({ part, ms: parts[part], overlapped_ms: overlapped[part] }),
    );
    const ms = sums[place] ?? 0;
    return { group, ms, share: total > 0 ? ms / total : 0, parts: own };
  });
}

const PARTS: Readonly<Record<string, readonly [label: string, definition: string]>> = {
  compute: ['Compute', 'Kernels that are neither communication nor copies; on a CPU, operations of 10 µs or more'],
  comm: ['Collectives', 'All-reduce, all-gather and other collectives, including time spent waiting for other ranks'],
  h2d: ['Host to device', 'Copies from the host to the device'],
  d2h: ['Device to host', 'Copies from the device to the host'],
  d2d: ['Device to device', 'Copies on and between devices, and memory fills'],
  compile: ['Compiling', 'Tracing and compiling functions'],
  gc: ['Garbage collection', "Python's garbage collector"],
  io: ['Files', 'Checkpoints and summaries'],
  input: ['Next batch', 'The consumer waits for the next batch'],
  sync: ['Waiting for the device', 'Runtime calls that wait for the device'],
  alloc: ['Allocating', 'Allocating and freeing device and pinned memory'],
  launch: ['Launching', 'Kernel launches and other runtime and driver calls'],
  op: ['Operations', 'Framework operations on the host'],
  framework: ['Framework', 'Other framework calls, such as dispatch and waiting for the executor'],
  python: ['Python', 'Recorded Python functions'],
  untraced: ['Untraced', 'Not covered by the trace'],
};

export function partLabel(part: string): string {
  return PARTS[part]?.[0] ?? part;
}

export function partDefinition(part: string): string {
  return PARTS[part]?.[1] ?? '';
}
