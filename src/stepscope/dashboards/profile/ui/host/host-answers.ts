// The answer of the Host part, as docs/http-api.md describes it, how it is fetched, and how to record Python.
import { queryOf, untilRead, type Fetch, type Reading } from '../answers';
import type { Recipe } from '../recipes';

export interface HostLine {
  part: string;
  title: string;
  us: number;
}

export interface CompiledFunction {
  name: string;
  compiler: string;
  calls: number;
  traces: number;
  total_us: number;
  traced_us: number;
  versions: number | null;
}

export interface NamedTime {
  name: string;
  us: number;
  calls: number;
}

export interface HostFound {
  step_us: number;
  lines: HostLine[];
  python_recorded: boolean;
  calls_in_runs: number;
  eager: number;
  compiled: number;
  eager_share: number | null;
  collections: number;
  collected_us: number;
  longest_collection_us: number;
  functions: CompiledFunction[];
  functions_total: number;
  python: NamedTime[];
  waits: NamedTime[];
}

export const fetchHost: Fetch<HostFound> = async (question, signal, progress) => {
  type Answer = { reading: Reading | null; host: HostFound };
  const query = queryOf(question, { worker: question.worker ?? '' });
  return (await untilRead<Answer>(`profile/host?${query}`, signal, progress)).host;
};

/** Functions that were traced in more than half of their calls are compiled again and again, not only at first. */
export function isRetraced({ calls, traces }: CompiledFunction): boolean {
  return traces > 1 && 2 * traces > calls;
}

export const PYTHON_RECIPES: readonly Recipe[] = [
  { name: 'PyTorch', code: 'with torch.profiler.profile(with_stack=True) as profiler:' },
  { name: 'JAX', code: 'options = jax.profiler.ProfileOptions()\noptions.python_tracer_level = 1' },
];
