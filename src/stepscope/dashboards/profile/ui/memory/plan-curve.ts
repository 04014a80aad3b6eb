// How a plan of memory is drawn: as steps in program order.
import type { Curve } from '$web/charts/types';
import type { ProgramMemoryRow } from '$api';

/** Where a stretch begins, counted in events of the plan. */
export const eventOf = ({ events, level_bytes: level }: ProgramMemoryRow, place: number): number =>
  level.length === 0 ? 0 : Math.floor((place * events) / level.length);

/** The plan as steps: each level holds until the next. */
export function planCurve(program: ProgramMemoryRow, unit: number, colour: string): Curve {
  const { level_bytes: level, events } = program;
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
