// The shape of the answer to what-if, as docs/http-api.md describes it, and how it is fetched.
import { queryOf, stepWords, untilRead, type Fetch, type Reading } from '../answers';

/** A step after a change; a refused one has a reason and no times but perhaps a bound. */
export interface Prediction {
  lever: string;
  kind: 'removes' | 'moves' | 'at_best';
  baseline_ms: number;
  low_ms: number | null;
  mid_ms: number | null;
  high_ms: number | null;
  /** By which part less may go, by which what is left may get faster, and how many measured pairs are behind both. */
  band: number | null;
  more: number | null;
  pairs: number | null;
  weak: boolean;
  refused: string | null;
  bound_ms: number | null;
  notes: string[];
}

/** A lever that reaches something, pulled alone as far as it goes. */
export interface LeverFacts {
  name: string;
  text: string;
  /** On or off, or a number of workers. */
  moves: boolean;
  workers: boolean;
  /** How many workers there are cores for. */
  most: number;
  alone: Prediction;
}

/** What a run has logged of its steps outside of the recording: their median, and the series that has them. */
export interface LoggedStep {
  ms: number;
  tag: string;
  steps: number;
}

export interface WhatIf {
  baseline_ms: number;
  logged: LoggedStep | null;
  /** By which fraction recorded steps take longer than those of the run; null when unknown. */
  inflation: number | null;
  replay_ms: number | null;
  replay_error: number | null;
  serial: boolean;
  refused: string | null;
  cores: number | null;
  levers: LeverFacts[];
  /** Every lever after those before it. */
  each: Prediction[];
  together: Prediction | null;
}

export const fetchWhatIf: Fetch<WhatIf> = async (question, signal, progress) => {
  type Answer = { reading: Reading | null; what_if: WhatIf };
  const { levers = '', cores = null } = question;
  const told: Record<string, string> = cores === null ? {} : { cores: String(cores) };
  const query = queryOf(question, { levers, ...told, ...stepWords(question) });
  return (await untilRead<Answer>(`profile/whatif?${query}`, signal, progress)).what_if;
};
