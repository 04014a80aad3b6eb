// Puts rows into groups: by folder, by a regular expression, or replicates that differ only in their seed.
import type { Run } from '../api/types';
import { compile, type Pattern } from '../patterns/pattern';
import type { GroupBy } from '../state/view';
import type { Row } from './rows';

export interface Group {
  name: string;
  /** Dash and colour follow it: the members of one role only. */
  role: Run['role'];
  runs: string[];
}

/** The ends of a band of quantiles. */
export const QUANTILES: [number, number] = [0.1, 0.9];

/** Stands for a group where a run's id would stand. */
export function groupKey({ name, role }: Group): string {
  return `group\u0000${name}\u0000${role ?? ''}`;
}

const SEED = /(^|[/_\-. ,])((?:seed|rng|rep|replicate|trial|fold|run|s)[_=:-]?\d+)(?=$|[/_\-. ,])/i;
const SURE_SEED = /(^|[/_\-. ,])(?:seed|rng|rep|replicate|fold)[_=:-]?\d+(?=$|[/_\-. ,])/i;
const TRAILING = /[/_-]\d{1,3}$/;

/** The name without its seed, or null when nothing looks like one. */
export function withoutSeed(name: string): string | null {
  if (SEED.test(name)) {
    return name
      .replace(SEED, '$1*')
      .replace(/[/_\-. ,]\*(?=$|[/])/, '')
      .replace(/^\*[/_\-. ,]?/, '');
  }
  return TRAILING.test(name) ? name.replace(TRAILING, '') : null;
}

export interface Replicates {
  rows: number;
  groups: number;
  /** Members per group when all are equal, else null. */
  each: number | null;
}

/** Offered only when every group has at least two members and all rows but a few belong to one; names that say "seed" need fewer. */
export function findReplicates(rows: readonly Row[]): Replicates | null {
  const sizes = new Map<string, number>();
  for (const row of rows) {
    const name = withoutSeed(row.name);
    if (name !== null) sizes.set(name, (sizes.get(name) ?? 0) + 1);
  }
  const repeated = [...sizes.values()].filter((size) => size >= 2);
  const members = repeated.reduce((sum, size) => sum + size, 0);
  const sure = rows.every((row) => SURE_SEED.test(row.name));
  if (repeated.length === 0 || members < (sure ? 3 : 4) || members < rows.length * 0.8) return null;
  // A single group of numbered runs or trials is more often a list than one setting with many seeds.
  if (repeated.length === 1 && !sure) return null;
  return {
    rows: members,
    groups: repeated.length,
    each: repeated.every((size) => size === repeated[0]) ? (repeated[0] ?? null) : null,
  };
}

export function describeReplicates({ rows, groups, each }: Replicates): string {
  return each === null
    ? `${rows} runs look like ${groups} configurations with several seeds each.`
    : `${rows} runs look like ${groups} ${groups === 1 ? 'configuration' : 'configurations'} with ${each} seeds each.`;
}

export function compilePattern(pattern: string): Pattern | null {
  return compile(pattern, false).pattern;
}

export type SettingOf = (row: Row, name: string) => string | undefined;

/** The group a row belongs to; null leaves it ungrouped. */
export function groupName(row: Row, group: GroupBy, pattern: Pattern | null, settingOf: SettingOf): string | null {
  switch (group.by) {
    case 'none':
      return null;
    case 'path': {
      const cut = row.name.lastIndexOf('/');
      return cut < 0 ? '(top folder)' : row.name.slice(0, cut);
    }
    case 'replicates':
      return withoutSeed(row.name) ?? row.name;
    case 'setting':
      return settingOf(row, group.setting) ?? null;
    case 'regex': {
      const found = pattern?.exec(row.name);
      if (!found) return null;
      return found.length > 1 ? found.slice(1).filter(Boolean).join(' ') : found[0];
    }
  }
}

/** Groups of the drawn runs, in order of first appearance; roles of an experiment stay apart. */
export function makeGroups(
  rows: readonly Row[],
  visible: ReadonlySet<string>,
  group: GroupBy,
  settingOf: SettingOf,
): Group[] {
  const pattern = group.by === 'regex' ? compilePattern(group.pattern) : null;
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const name = groupName(row, group, pattern, settingOf);
    if (name === null) continue;
    for (const run of row.runs) {
      if (!visible.has(run.id)) continue;
      const role = row.runs.length > 1 ? run.role : null;
      const key = `${name}\u0000${role ?? ''}`;
      const found = groups.get(key);
      if (found === undefined) groups.set(key, { name, role, runs: [run.id] });
      else found.runs.push(run.id);
    }
  }
  return [...groups.values()];
}
