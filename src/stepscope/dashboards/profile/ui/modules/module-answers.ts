// The shape of the answer about modules, as docs/http-api.md describes it, and how it is fetched.
import { queryOf, untilRead, type Fetch, type Reading } from '../answers';

/** One module over the whole recording; those below it follow it and are deeper. */
export interface ModuleRow {
  path: string;
  name: string;
  depth: number;
  calls: number;
  /** Of the time of all modules: on devices where any ran there, otherwise on the host. */
  share: number;
  forward_host_us: number;
  forward_host_self_us: number;
  forward_device_us: number;
  forward_device_self_us: number;
  backward_host_us: number;
  backward_host_self_us: number;
  backward_device_us: number;
  backward_device_self_us: number;
}

export interface Modules {
  rows: ModuleRow[];
  total: number;
  /** False where the tree is that of name scopes. */
  recorded: boolean;
}

export const fetchModules: Fetch<Modules> = (question, signal, progress) =>
  untilRead<Modules & { reading: Reading | null }>(
    `profile/modules?${queryOf(question, { worker: question.worker ?? '' })}`,
    signal,
    progress,
  );
