// The shapes of the Profile tab's answers, as docs/http-api.md describes them, and how they are fetched.
import { apiAddress, getJson } from '$web/api/client';
import type { TimeGroup } from '$web/style/theme';

export interface WorkerFile {
  worker: string;
  file: string;
  format: string;
  bytes: number;
  problem: string | null;
}

export interface Session {
  id: string;
  run: string;
  run_name: string;
  name: string;
  time: number;
  bytes: number;
  /** False where only memory was recorded. */
  has_steps: boolean;
  workers: WorkerFile[];
}

export interface Reading {
  files_done: number;
  files: number;
  bytes_done: number;
  bytes: number;
  analysing: boolean;
  seconds: number;
}

export interface Part {
  part: string;
  ms: number;
  overlapped_ms: number;
}

export interface GroupTime {
  group: TimeGroup;
  ms: number;
  share: number;
  parts: Part[];
}

export interface Step {
  step: number;
  start_ms: number;
  ms: number;
  /** Milliseconds of every part, in the order of PART_ORDER; they sum to `ms`. */
  parts: number[];
  typical: boolean;
  /** Before the first typical step: compilation, empty caches, the profiler's start. */
  warm_up: boolean;
  grew: string | null;
  grew_ms: number | null;
  /** The part of its communication spent waiting for ranks that came later; null while ranks are missing. */
  waiting_ms: number | null;
}

export interface StepTimes {
  median: number;
  p95: number;
  typical: number;
}

export interface StepSource {
  family: string;
  text: string;
  steps: number;
  alternatives: string[];
}

export interface Rank {
  worker: string;
  host: string;
  rank: number | null;
  framework: string;
  devices: string[];
  cpu_only: boolean;
  sentence: string;
  step_source: StepSource;
  step_ms: StepTimes;
  groups: GroupTime[];
  /** Part of its communication spent waiting for other ranks; null when that is not known. */
  waiting_ms: number | null;
  steps: Step[];
  where: Where[];
  idle: Idle;
  tpu: TpuStep | null;
}

/** A typical step of TPUs; the parts sum to it. */
export interface TpuStep {
  devices: number;
  step_ms: number;
  parts: { part: string; title: string; ms: number; share: number }[];
  /** Of the matrix unit's peak, while it computes and over the step; null when unknown. */
  matrix_use: number | null;
  step_matrix_use: number | null;
}

export interface Where {
  name: string;
  kind: string;
  group: TimeGroup;
  exposed_ms: number;
  share: number;
  count: number;
}

/** What has idle time of one cause; times of a typical step. */
export interface IdleName {
  name: string;
  part: string;
  ms: number;
  share: number;
  gaps_per_step: number;
  /** In gaps before which the host had waited for the device. */
  after_wait_ms: number;
  /** What is around it, the innermost first. */
  stack: string[];
}

export interface IdleCause {
  cause: string;
  title: string;
  means: string;
  group: TimeGroup;
  ms: number;
  share: number;
  gaps_per_step: number;
  names: IdleName[];
}

/** How long a rank's devices do nothing; the causes, largest first, sum to it. */
export interface Idle {
  ms: number;
  share: number;
  causes: IdleCause[];
}

export interface Note {
  level: 'info' | 'warning' | 'error';
  code: string;
  text: string;
}

/** Where evidence can be seen; `rows` are null for a stretch of time. */
export interface SpanPlace {
  worker: string;
  track: number;
  track_name: string;
  rows: [number, number] | null;
  start_ms: number;
  end_ms: number;
}

/** One rule's verdict. */
export interface Finding {
  rule: string;
  verdict: 'fires' | 'note' | 'quiet' | 'cannot_tell';
  title: string;
  summary: string;
  evidence: { text: string; spans: SpanPlace | null }[];
  /** Fractions of the step. */
  gain: { low: number; high: number; kind: 'removes' | 'moves' | 'at_best'; weak: boolean } | null;
  /** What a step would take, least and most. */
  step_ms: [number, number] | null;
  change: string;
  wrong_when: string;
  /** What would show more, when it cannot tell. */
  option: string;
}

/** Something in which the ranks differ, with what each has. */
export interface Disagreement {
  what: string;
  values: string[];
}

export interface Report {
  definitions: number;
  format: string;
  captured: number | null;
  sentence: string;
  step_ms: StepTimes;
  groups: GroupTime[];
  waiting_ms: number | null;
  ranks: Rank[];
  disagreements: Disagreement[];
  /** The rank whose steps are longer than those of every other by more than noise. */
  slowest: string | null;
  /** What several ranks are where none is the slowest: "Ranks are equal within 2 %." */
  ranks_said: string;
  /** The rank that the others wait for. */
  waited_for: string | null;
  where: Where[];
  idle: Idle;
  /** The worker that is of. */
  idle_of: string;
  /** All rules; those that fire come first, by gain. */
  findings: Finding[];
  /** "33 checked, 26 quiet, 7 cannot tell" */
  checked: string;
  replay_error: number | null;
  /** What was chosen, such as "steps 3 to 9, 7 of 20"; null for all. */
  range: string | null;
  broken: { worker: string; reason: string }[];
  quality: Note[];
  /** Compiled XLA programs of all ranks. */
  programs: number;
  /** Rates that are certain: "76.5 steps/s", "4,898 examples/s". */
  throughput: string[];
  tpu: TpuStep | null;
  /** The annotation that is taken for one around a request; empty when there is none. */
  request: string;
}

/** The rows of a table, and how many there are in all. */
export interface Rows<Row> {
  rows: Row[];
  total: number;
  /** What must be said of the numbers, where the table has anything. */
  notes?: string[];
}

export async function fetchSessions(): Promise<Session[]> {
  return (await getJson<{ sessions: Session[] }>('profile/sessions')).sessions;
}

/** Asks again while the server is still reading; each answer of that kind goes to `progress`. */
export async function untilRead<Answer extends { reading: Reading | null }>(
  path: string,
  signal: AbortSignal,
  progress: (reading: Reading) => void,
): Promise<Answer> {
  for (;;) {
    const answer = await getJson<Answer>(path, signal);
    if (answer.reading === null) return answer;
    progress(answer.reading);
  }
}

/** What is asked of a session; `by` and `calls` are of tables alone, `levers` and `cores` of what-if. */
export interface Question {
  session: string;
  worker?: string;
  by?: string;
  calls?: boolean;
  levers?: string;
  cores?: number | null;
  /** A median step without the profiler, where the user says it. */
  stepMs?: number | null;
  /** Of memory: how operations or modules must begin, and what is too small to be listed. */
  scope?: string;
  minBytes?: number;
  /** How steps are found; empty for the best way. */
  steps: string;
  /** Which of them; absent for what the page shows, empty for all. */
  range?: string;
  /** The session that is compared with, and which range of it. */
  against?: string;
  againstRange?: string;
  /** Ids of the sessions of a trend, with commas between. */
  sessions?: string;
  /** Examples in one rank's step and tokens in one example, where the user says them. */
  batch?: number | null;
  tokens?: number | null;
  /** The annotation around one request. */
  request?: string;
}

/** The words of a question that all routes share, and more. */
export function queryOf({ session, steps, range = '' }: Question, more: Record<string, string> = {}): URLSearchParams {
  return new URLSearchParams({ session, steps, ...(range === '' ? {} : { range }), ...more });
}

/** The step without the profiler, where it is said. */
export const stepWords = ({ stepMs = null }: Question): Record<string, string> =>
  stepMs === null ? {} : { step_ms: String(stepMs) };

/** What the user says of a batch. */
export const sizeWords = ({ batch = null, tokens = null }: Question): Record<string, string> => ({
  ...(batch === null ? {} : { batch: String(batch) }),
  ...(tokens === null ? {} : { tokens: String(tokens) }),
});

export type Fetch<Value> = (
  question: Question,
  signal: AbortSignal,
  progress: (reading: Reading) => void,
) => Promise<Value>;

export const fetchReport: Fetch<Report> = async (question, signal, progress) => {
  type Answer = { reading: Reading | null; report: Report };
  return (await untilRead<Answer>(`profile/overview?${queryOf(question, stepWords(question))}`, signal, progress))
    .report;
};

/** The address of the overview as one HTML file. */
/** One worker's recording as a file for another viewer. */
export const traceAddress = (question: Question, format: 'pftrace' | 'json'): string =>
  apiAddress(`profile/trace?${queryOf(question, { worker: question.worker ?? '', format })}`);

export const reportAddress = (question: Question): string => {
  const { request = '' } = question;
  const more = { ...stepWords(question), ...sizeWords(question), ...(request === '' ? {} : { request }) };
  return apiAddress(`profile/report?${queryOf(question, more)}`);
};

export function fetchRows<Row>(table: 'operations' | 'kernels' | 'transfers'): Fetch<Rows<Row>> {
  return (question, signal, progress) => {
    const { worker = '', by = 'name', calls = false } = question;
    const query = queryOf(question, { worker, by });
    if (calls) query.set('calls', 'true');
    return untilRead<Rows<Row> & { reading: Reading | null }>(`profile/${table}?${query}`, signal, progress);
  };
}
