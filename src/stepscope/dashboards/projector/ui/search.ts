// Which points match what was typed, over the texts of one column, without letting an expression take for ever.
import { compile } from '$web/patterns/pattern';
import type { Column } from './answers';

export interface Found {
  points: number[];
  problem: string | null;
}

/** The points whose text matches a regular expression, in either case; none when nothing was typed. */
export function matching(count: number, column: Column | null, text: string): Found {
  if (text === '' || column === null) return { points: [], problem: null };
  const { pattern, problem } = compile(text, true);
  if (pattern === null) return { points: [], problem };
  const points: number[] = [];
  if (column.kind === 'classes') {
    const hits = column.classes.map((one) => pattern.test(one));
    for (let point = 0; point < count; point++) if (hits[column.codes[point] as number] === true) points.push(point);
  } else for (let point = 0; point < count; point++) if (pattern.test(column.textOf(point))) points.push(point);
  return { points, problem: null };
}

/** The column that names points: the chosen one, else one with the most different values, since it tells most. */
export function labelColumn(columns: readonly Column[], chosen: string): Column | null {
  const named = columns.find(({ name }) => name === chosen);
  if (named !== undefined) return named;
  const variety = ({ kind, classes }: Column): number => (kind === 'texts' ? Infinity : classes.length);
  return columns.reduce<Column | null>(
    (best, one) => (best === null || variety(one) > variety(best) ? one : best),
    null,
  );
}
