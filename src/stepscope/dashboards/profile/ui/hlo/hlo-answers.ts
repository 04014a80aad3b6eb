// The shapes of the answers about compiled programs, as docs/http-api.md describes them, and how they are fetched.
import { queryOf, untilRead, type Fetch, type Question, type Reading, type Rows } from '../answers';

export interface HloRow {
  name: string;
  program: string;
  category: string;
  opcode: string;
  shape: string;
  text: string;
  framework_op: string;
  source: string;
  devices: string[];
  count: number;
  kernels: number;
  total_us: number;
  self_us: number;
  average_us: number;
  min_us: number;
  max_us: number;
  share: number;
  cumulative: number;
  flops: number | null;
  bytes: number | null;
  flops_per_second: number | null;
  bytes_per_second: number | null;
  flops_per_byte: number | null;
  of_peak_flops: number | null;
  of_peak_bandwidth: number | null;
  implausible_peak: boolean;
  bound_by: string;
  wasted_us: number | null;
  rematerialised: boolean;
  fused_instructions: number;
  doubts: string[];
  has_text: boolean;
}

export interface HloNode {
  depth: number;
  kind: 'program' | 'category' | 'op' | 'inside';
  name: string;
  program: string;
  text: string;
  count: number;
  time_us: number | null;
  share: number | null;
  wasted_us: number | null;
  flops: number | null;
  bytes: number | null;
  of_peak_flops: number | null;
  of_peak_bandwidth: number | null;
  bound_by: string;
}

export interface HloNeighbour {
  name: string;
  opcode: string;
  shape: string;
  text: string;
  distance: number;
  flops: number | null;
  bytes: number | null;
}

export interface HloOp {
  program: string;
  op: string;
  text: string;
  text_cut: boolean;
  framework_op: string;
  source: string;
  neighbours: HloNeighbour[];
  edges: [string, string][];
  cut: boolean;
}

export interface HloRows extends Rows<HloRow> {
  notes: string[];
}

export interface HloNodes {
  nodes: HloNode[];
  total: number;
  notes: string[];
}

interface BeingRead {
  reading: Reading | null;
}

export const fetchHlo: Fetch<HloRows> = (question, signal, progress) => {
  const { worker = '', by = 'name' } = question;
  const query = queryOf(question, { worker, by: by === 'name' ? 'op' : by });
  return untilRead<HloRows & BeingRead>(`profile/hlo?${query}`, signal, progress);
};

export const fetchTree: Fetch<HloNodes> = (question, signal, progress) => {
  const { worker = '', by = '' } = question;
  const query = queryOf(question, { worker, waste: String(by === 'waste') });
  return untilRead<HloNodes & BeingRead>(`profile/hlo/tree?${query}`, signal, progress);
};

/** One operation; what the question does not hold is asked for here. */
export function fetchOp(of: { program: string; op: string; width: number; long: boolean }): Fetch<HloOp> {
  return async ({ session, worker = '' }: Question, signal, progress) => {
    const { program, op, width, long } = of;
    const query = new URLSearchParams({ session, worker, program, op, width: String(width), long: String(long) });
    return (await untilRead<{ op: HloOp } & BeingRead>(`profile/hlo/op?${query}`, signal, progress)).op;
  };
}
