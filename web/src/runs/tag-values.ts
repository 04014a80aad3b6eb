// A value of a tag in the run list: of which points, and of which run where an experiment has several.
import type { Run, RunRole } from '../api/types';
import { SORT_KINDS, type SortKind, type TagValue } from '../state/view';
import type { Row } from './rows';

const ROLES: readonly RunRole[] = ['train', 'validation', 'eval', 'test'];
/** What headings and searches call a role. */
const SHORT: Record<RunRole, string> = { train: 'train', validation: 'val', eval: 'eval', test: 'test' };

export type HasTag = (run: Run, tag: string) => boolean;

/** The roles of runs, in their order. */
export function rolesIn(runs: readonly Run[]): RunRole[] {
  return ROLES.filter((role) => runs.some((run) => run.role === role));
}

export function roleWord(role: RunRole): string {
  return SHORT[role];
}

/** As addresses, columns and searches write it: `min:loss@val`. */
export function writeTagValue({ kind, tag, role }: TagValue): string {
  return `${kind}:${tag}${role === null ? '' : `@${roleWord(role)}`}`;
}

export function readTagValue(text: string): TagValue | undefined {
  const colon = text.indexOf(':');
  const kind = SORT_KINDS.find((one) => one === text.slice(0, colon));
  const [tag, role] = cutRole(text.slice(colon + 1));
  return kind === undefined || tag === '' ? undefined : { kind, tag, role };
}

/** A tag and the role that is named behind it. */
export function cutRole(text: string): [string, RunRole | null] {
  const at = text.lastIndexOf('@');
  const word = text.slice(at + 1);
  const role = at <= 0 ? undefined : ROLES.find((one) => one === word || SHORT[one] === word);
  return role === undefined ? [text, null] : [text.slice(0, at), role];
}

/** The roles that rows of several runs log a tag in: a column each. A tag of one role only needs no more than its name. */
export function rolesOfTag(rows: readonly Row[], tag: string, has: HasTag): readonly (RunRole | null)[] {
  const found = new Set<RunRole>();
  for (const row of rows) {
    if (row.runs.length < 2) continue;
    for (const run of row.runs) if (run.role !== null && !found.has(run.role) && has(run, tag)) found.add(run.role);
  }
  return found.size < 2 ? [null] : ROLES.filter((role) => found.has(role));
}

/** The run of a row that a column is about. A run without a role is in the first of the columns: it has one value only. */
export function runOfRole(row: Row, tag: string, role: RunRole | null, isFirst: boolean, has: HasTag): Run | undefined {
  const having = row.runs.filter((run) => has(run, tag));
  if (role === null) return having[0];
  return having.find((run) => run.role === role) ?? (isFirst ? having.find((run) => run.role === null) : undefined);
}

const WORDS: Record<SortKind, string> = { last: 'Last', min: 'Lowest', max: 'Highest', mean: 'Mean' };

/** For menus and pickers: `Lowest loss (validation)`. */
export function describeTagValue({ kind, tag, role }: TagValue): string {
  return `${WORDS[kind]} ${tag}${role === null ? '' : ` (${role})`}`;
}
