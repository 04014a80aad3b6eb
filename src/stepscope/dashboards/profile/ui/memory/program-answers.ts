// The shapes of the answers about planned memory, as docs/http-api.md describes them, how they are fetched, and how a plan is drawn.
import type { Curve } from '$web/charts/types';
import { queryOf, untilRead, type Fetch, type Reading } from '../answers';
import type { Kept } from './memory-answers';

export interface ProgramMemory {
  name: string;
  total_bytes: number;
  parameter_bytes: number;
  output_bytes: number;
  constant_bytes: number;
  temporary_bytes: number;
  aliased_bytes: number;
  peak_bytes: number;
  peak_instruction: string;
  at_peak: Kept[];
  at_peak_left_out_bytes: number;
  /** How many takings and givings back the plan has, in program order. */
  events: number;
  /** The most that is held in equal stretches of these. */
  level: number[];
  /** A place in `level`; null without a plan. */
  peak: number | null;
}

export interface ProgramMemories {
  programs: ProgramMemory[];
  total: number;
  notes: string[];
}

export const fetchProgramMemory: Fetch<ProgramMemories> = (question, signal, progress) => {
  const query = queryOf({ session: question.session, steps: '' }, { worker: question.worker ?? '' });
  query.delete('steps');
  return untilRead<ProgramMemories & { reading: Reading | null }>(`profile/memory/programs?${query}`, signal, progress);
};

/** Where a stretch begins, counted in events of the plan. */
export const eventOf = ({ events, level }: ProgramMemory, place: number): number =>
  level.length === 0 ? 0 : Math.floor((place * events) / level.length);

/** The plan as steps: each level holds until the next. */
export function planCurve(program: ProgramMemory, unit: number, colour: string): Curve {
  const { level, events } = program;
  const x = new Float64Array(2 * level.length);
  const y = new Float64Array(2 * level.length);
  level.forEach((size, place) => {
    x[2 * place] = eventOf(program, place);
    x[2 * place + 1] = place + 1 < level.length ? eventOf(program, place + 1) : events;
    y[2 * place] = y[2 * place + 1] = size / unit;
  });
  const top = level.reduce((most, size) => Math.max(most, size), 0) / unit;
  return {
    key: program.name,
    label: program.name,
    colour,
    dash: 'solid',
    x,
    y,
    step: x,
    wall: new Float64Array(x.length).fill(Number.NaN),
    segment: new Int32Array(x.length),
    yExtent: [0, top],
    yInner: [0, top],
    xExtent: [0, events],
  };
}
