// The answer of the Input part, as docs/http-api.md describes it, how it is fetched, and how to record it.
import { queryOf, untilRead, type Fetch, type Reading } from '../answers';
import type { Recipe } from '../recipes';

export interface Phase {
  phase: string;
  title: string;
  waited_us: number;
  beside_us: number;
}

export interface Stage {
  path: string;
  name: string;
  depth: number;
  count: number;
  total_us: number;
  self_us: number;
  waited_us: number;
  beside_us: number;
  threads: number;
  at_once: number;
  parallelism: number | null;
  autotune: boolean | null;
  buffer_size: number | null;
  batch_size: number | null;
  buffered: number | null;
  empty: number | null;
}

export interface InputFound {
  loader: string;
  /** Whether batches come from other processes, which no recording holds. */
  workers: boolean;
  fetches: number;
  step_us: number;
  waited_us: number;
  hidden_us: number;
  copied_waited_us: number;
  copied_beside_us: number;
  batch_bytes: number | null;
  phases: Phase[];
  stages: Stage[];
  slowest: string | null;
  remedies: string[];
}

export const fetchInput: Fetch<InputFound> = async (question, signal, progress) => {
  type Answer = { reading: Reading | null; input: InputFound };
  const query = queryOf(question, { worker: question.worker ?? '' });
  return (await untilRead<Answer>(`profile/input?${query}`, signal, progress)).input;
};

export const INPUT_RECIPES: readonly Recipe[] = [
  {
    name: 'PyTorch',
    code: `# torch's DataLoader is recorded by itself. Another loader: mark the fetch, and list its name.
with torch.profiler.record_function("load_batch"):
    batch = next(batches)`,
  },
  {
    name: 'TensorFlow and Keras',
    code: `# tf.data is recorded by itself, its stages with host_tracer_level=2 or more.
options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2)`,
  },
  {
    name: 'JAX',
    code: `# Mark the fetch, and list its name.
with jax.profiler.TraceAnnotation("load_batch"):
    batch = next(batches)`,
  },
  {
    name: 'Names of your own',
    code: `# span_kinds.toml; 'stepscope profile kinds' tells where it lies
input = ["load_batch"]`,
  },
];
