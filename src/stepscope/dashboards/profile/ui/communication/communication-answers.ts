// Rows of the Communication part as the page shows them, and how to capture them.
import { formatCount, formatValue } from '$web/draw/number';
import type { CollectiveRow } from '$api';
import type { Recipe } from '../recipes';

const NO_OPERATION: CollectiveRow = {
  kind: 'All ranks idle',
  group: '',
  ranks: null,
  ranks_here: 0,
  bytes: null,
  dtype: '',
  count: 0,
  count_per_step: 0,
  ms: 0,
  exposed_ms: 0,
  overlapped_ms: 0,
  waiting_ms: null,
  transfer_ms: null,
  each_us: 0,
  algorithm_bytes_per_second: null,
  bus_bytes_per_second: null,
  bandwidth_is_lower_bound: false,
  split: '',
};

/** The collectives, and among them the time in which no rank runs anything: it belongs to none of them. */
export function rowsOf(collectives: readonly CollectiveRow[], nothing: number | null): CollectiveRow[] {
  if (nothing === null) return [...collectives];
  return [...collectives, { ...NO_OPERATION, ms: nothing, exposed_ms: nothing }].sort((a, b) => b.ms - a.ms);
}

/** Gigabytes a second, and a sign before it where it may be more. */
export function bandwidth(bytes: number | null, lowerBound: boolean): string {
  if (bytes === null) return '';
  const rate = bytes / 1e9;
  const text = rate >= 100 ? formatCount(rate) : rate >= 0.01 ? formatValue(rate, 3) : '<\u202f0.01';
  return `${lowerBound && rate >= 0.01 ? '≥\u202f' : ''}${text}`;
}

export const COMMUNICATION_RECIPES: readonly Recipe[] = [
  {
    name: 'PyTorch',
    code: `# On every rank, with one folder for all of them.
handler = torch.profiler.tensorboard_trace_handler("runs/profile", f"host_{rank}")
with torch.profiler.profile(record_shapes=True, on_trace_ready=handler, …) as profiler:
    …`,
  },
  {
    name: 'TensorFlow',
    code: `# Captures all workers in one session.
workers = "grpc://host-0:6009,grpc://host-1:6009"
tf.profiler.experimental.client.trace(workers, "runs/profile", 2000)`,
  },
  {
    name: 'JAX',
    code: `# In every process, with one shared folder.
jax.profiler.start_trace("runs/profile")`,
  },
  {
    name: 'Custom collectives',
    code: `# STEPSCOPE_COLLECTIVES=names.txt; each line has a kind and a name pattern:
allreduce  my_ring_exchange*`,
  },
];
