// The shapes of the Profile tab's answers, as docs/http-api.md describes them, and how they are fetched.
import { apiAddress, getJson, postJson } from '$web/api/client';
import { addressOf, type Address, type Answer, type PathOf } from '$web/api/routes';
import type {
  CompareRequest,
  Comparison,
  HtmlWanted,
  JobRow,
  Parts,
  RankRow,
  ReadingRow,
  Report as ReportAnswer,
  SessionRow,
  StepRow,
  WorkerRow,
} from '$api';
import { groupTimes, type GroupTime } from './groups';

export type WorkerFile = WorkerRow;
export type Session = SessionRow;
export type Reading = ReadingRow;

/** One worker of a report, with its steps. */
export interface Rank extends Omit<RankRow, 'steps'> {
  steps: StepRow[];
  groups: GroupTime[];
}

/** The report of a session, with the steps of its workers. */
export interface Report extends Omit<ReportAnswer, 'ranks'> {
  ranks: Rank[];
  groups: GroupTime[];
}

/** The rows of a table, and how many there are in all. */
export interface Rows<Row> {
  rows: Row[];
  total: number;
  /** What must be said of the numbers, where the table has anything. */
  notes?: string[];
}

export async function fetchSessions(): Promise<Session[]> {
  return (await getJson(addressOf('profile/sessions', {}))).sessions;
}

/** Routes that say how far reading has come while they have no answer yet. */
type ReadPath = {
  [P in PathOf<'GET', 'json'>]: Answer<'GET', P, 'json'> extends { reading: Reading | null; answer: unknown }
    ? P
    : never;
}[PathOf<'GET', 'json'>];

type Found<P extends ReadPath> = Answer<'GET', P, 'json'> extends { answer: infer Value } ? NonNullable<Value> : never;

/** Asks again while the server is still reading; how far that has come goes to `progress`. */
export async function untilRead<P extends ReadPath>(
  address: Address<P>,
  signal: AbortSignal,
  progress: (reading: Reading) => void,
): Promise<Found<P>> {
  for (;;) {
    const { reading, answer } = (await getJson(address, signal)) as { reading: Reading | null; answer: Found<P> };
    if (reading === null) return answer;
    progress(reading);
  }
}

/** Which profile, and which steps of it. */
export interface Question {
  session: string;
  worker?: string;
  /** How steps are found; empty for the best way. */
  steps: string;
  /** Which of them; absent for what the page shows, empty for all. */
  range?: string;
}

export type Fetch<Value, Asked = Question> = (
  question: Asked,
  signal: AbortSignal,
  progress: (reading: Reading) => void,
) => Promise<Value>;

/** One worker's profile as a file for another viewer. */
export const traceAddress = (
  { session, worker, steps, range }: Question,
  format: 'pftrace' | 'json' | 'speedscope',
  window: readonly [number, number] | null = null,
): string =>
  apiAddress(
    addressOf('profile/{session}/trace', {
      session,
      worker,
      steps,
      range,
      format,
      ...(window === null ? {} : { start_us: window[0], end_us: window[1] }),
    }),
  );

/** Makes the report as one HTML file. */
export const startHtml = (asked: { session: string } & HtmlWanted): Promise<JobRow> =>
  postJson('profile/{session}/html', asked);

/** Most rows of a table that the page asks for. */
export const MOST_ROWS = 20_000;

/** What is asked of a part of a session. */
export type PartQuestion<Id extends keyof Parts> = { session: string } & Parts[Id]['wanted'];

/** Asks a part of a session; what is empty or absent is left to the server. */
export function fetchPart<Id extends keyof Parts>(part: Id): Fetch<Parts[Id]['answer'], PartQuestion<Id>> {
  // Parts and routes are made from one declaration, which TypeScript sees of a certain part only.
  const path = `profile/{session}/${part}` as 'profile/{session}/ops';
  return (question, signal, progress) =>
    untilRead(addressOf(path, question as PartQuestion<'ops'>), signal, progress) as Promise<Parts[Id]['answer']>;
}

export type CompareQuestion = { session: string } & CompareRequest;

/** Compares a session with the one that came before it. */
export const fetchCompared: Fetch<Comparison, CompareQuestion> = (question, signal, progress) =>
  untilRead(addressOf('profile/{session}/compare', question), signal, progress);

/** The report and the steps, which are asked for together. */
export const fetchReport: Fetch<Report, PartQuestion<'report'>> = async (question, signal, progress) => {
  const { session, steps, range } = question;
  const [report, { steps: rows }] = await Promise.all([
    fetchPart('report')(question, signal, progress),
    fetchPart('steps')({ session, steps, range }, signal, progress),
  ]);
  return withSteps(report, rows);
};

/** A report whose workers have their steps, and groups to draw. */
export function withSteps(report: ReportAnswer, rows: readonly StepRow[]): Report {
  const steps = new Map(report.ranks.map(({ worker }): [string, StepRow[]] => [worker, []]));
  for (const row of rows) steps.get(row.worker)?.push(row);
  return {
    ...report,
    groups: groupTimes(report.parts, report.overlapped),
    ranks: report.ranks.map((rank) => ({
      ...rank,
      steps: steps.get(rank.worker) ?? [],
      groups: groupTimes(rank.parts, rank.overlapped),
    })),
  };
}
