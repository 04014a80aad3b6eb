// The shapes of the answers about memory, as docs/http-api.md describes them, and how they are fetched.
import { queryOf, untilRead, type Fetch, type Reading } from '../answers';

export interface Held {
  op: string;
  bytes: number;
  share: number;
  count: number;
  module: string;
  kind: string;
  shape: string;
  dtype: string;
  first_step: number | null;
}

export interface Tensor {
  op: string;
  /** Of one of them. */
  bytes: number;
  count: number;
  module: string;
  kind: string;
  shape: string;
  dtype: string;
  step: number | null;
  from_ms: number | null;
  until_ms: number | null;
  at_peak: boolean;
}

export interface Lifetime {
  lifetime: 'within_a_step' | 'across_steps' | 'to_the_end' | 'from_before';
  count: number;
  bytes: number;
  median_ms: number | null;
}

export interface Spike {
  op: string;
  bytes: number;
  count: number;
  ms: number;
  step: number | null;
}

export interface Kept {
  op: string;
  bytes: number;
}

export interface Growth {
  verdict: 'grows' | 'steady' | 'cannot_tell';
  sentence: string;
  stays: Kept[];
}

export interface OutOfMemory {
  ms: number;
  sentence: string;
  cause: string;
  holders: Kept[];
}

export interface Layer {
  name: string;
  bytes: number[];
}

export interface Timeline {
  by: string;
  ms: number[];
  bytes: number[];
  reserved: number[] | null;
  layers: Layer[];
  peak: number;
}

export interface Memory {
  name: string;
  sentence: string;
  peak_bytes: number;
  peak_ms: number;
  peak_step: number | null;
  capacity_bytes: number | null;
  reserved_bytes: number | null;
  fragmentation: number | null;
  timed: boolean;
  /** Bytes are at least what was held: what was allocated before the recording is not in them. */
  from_start: boolean;
  at_peak: Held[];
  at_peak_left_out_bytes: number;
  largest: Tensor[];
  lifetimes: Lifetime[];
  spikes: Spike[];
  growth: Growth | null;
  pieces: { free_bytes: number; largest_free_bytes: number; free_blocks: number } | null;
  out_of_memory: OutOfMemory[];
  stacked_by: string[];
  timeline: Timeline;
  steps: { step: number; ms: number }[];
  notes: string[];
}

export interface Memories {
  devices: Memory[];
  notes: string[];
}

export const fetchMemory: Fetch<Memories> = (question, signal, progress) => {
  const { worker = '', by = '', scope = '', minBytes = 0 } = question;
  const query = queryOf(question, { worker });
  if (by !== '') query.set('by', by);
  if (scope !== '') query.set('scope', scope);
  if (minBytes > 0) query.set('min_bytes', String(minBytes));
  return untilRead<Memories & { reading: Reading | null }>(`profile/memory?${query}`, signal, progress);
};
