// The answer of the Critical path part, as docs/http-api.md describes it, and how it is fetched.
import { queryOf, untilRead, type Fetch, type Reading } from '../answers';

export interface PathPart {
  part: string;
  ms: number;
  share: number;
}

/** Fractions of the step. */
export interface PathGain {
  lever: string;
  parts: string[];
  path: number;
  saves: number;
}

export interface PathLine {
  name: string;
  part: string;
  worker: string;
  steps: number;
  path_ms: number;
  share: number;
  beside_ms: number;
  slack_ms: number | null;
}

export interface PathFound {
  model: string;
  note: string;
  worker: string;
  step_ms: number;
  parts: PathPart[];
  /** What the replay says that a step would lose without parts of the path, which is an upper bound of it. */
  savings: PathGain[];
  operations: PathLine[];
  total: number;
}

export const fetchPath: Fetch<PathFound> = async (question, signal, progress) => {
  type Answer = { reading: Reading | null; path: PathFound };
  const query = queryOf(question, { worker: question.worker ?? '' });
  return (await untilRead<Answer>(`profile/path?${query}`, signal, progress)).path;
};

/** What is on the path, longest first, and what runs only beside it, most time first. */
export function sides(operations: readonly PathLine[]): { on: PathLine[]; beside: PathLine[] } {
  const beside = operations.filter(({ slack_ms }) => slack_ms !== null);
  return {
    on: operations.filter(({ path_ms }) => path_ms > 0),
    beside: beside.sort((a, b) => b.beside_ms - a.beside_ms),
  };
}
