// Asks for the table of hyperparameters and metrics, and gives its columns as typed arrays.
import type {
  HparamColumns,
  HparamHeader,
  HparamsHeader,
  HparamsRequest,
  ImportanceAnswer,
  ImportanceRequest,
  MetricColumns,
  MetricHeader,
} from '$api';
import { postForFrame, postJson } from '$web/api/client';
import type { Decoded, Frame } from '$web/api/frame';

/** One hyperparameter of all sessions. */
export type Hparam = Omit<HparamHeader, 'columns'> & Decoded<HparamColumns>;
/** One metric: `values` of all sessions, the rest of groups. */
export type Metric = Omit<MetricHeader, 'columns'> & Decoded<MetricColumns>;

export interface Trials extends Pick<HparamsHeader, 'sessions' | 'available'> {
  hparams: Hparam[];
  metrics: Metric[];
  /** The group of each session, and the sessions of each group. */
  groupOf: Int32Array;
  members: number[][];
}

export function trialsOf(frame: Frame<HparamsHeader>): Trials {
  const { sessions, available, groups, hparams, metrics } = frame.header;
  const groupOf = frame.ints(groups.of);
  const members: number[][] = Array.from(frame.ints(groups.size), () => []);
  groupOf.forEach((group, session) => members[group]?.push(session));
  return {
    sessions,
    available,
    groupOf,
    members,
    hparams: hparams.map(({ columns, ...said }) => ({
      ...said,
      numbers: frame.floats(columns.numbers),
      codes: frame.ints(columns.codes),
    })),
    metrics: metrics.map(({ columns, ...said }) => ({
      ...said,
      values: frame.floats(columns.values),
      n: frame.ints(columns.n),
      mean: frame.floats(columns.mean),
      sd: frame.floats(columns.sd),
      ci95: frame.floats(columns.ci95),
    })),
  };
}

const AGAIN_MS = 300;

/** Asks until the work is done; `told` hears how much is. */
export async function fetchImportance(
  asked: ImportanceRequest,
  told: (share: number) => void,
  signal: AbortSignal,
): Promise<ImportanceAnswer> {
  for (;;) {
    const answer = await postJson('hparams/importance', asked, signal);
    if (answer.done) return answer;
    told(answer.progress);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

export const fetchTrials = async (asked: HparamsRequest, signal: AbortSignal): Promise<Trials> =>
  trialsOf(await postForFrame('hparams/table', asked, signal));
