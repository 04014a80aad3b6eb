// The table's rows for groups of runs: of each value its mean, the 95% confidence interval and how many runs have it.
import type { TagValue } from '../state/view';
import type { Known } from './fields';
import type { Pattern } from '../patterns/pattern';
import type { GroupBy } from '../state/view';
import { groupName, type SettingOf } from './groups';
import { compareKnown } from './order';
import type { Row } from './rows';
import { meanOfRuns, type MeanOfRuns } from './statistics';
import { describeTagValue } from './tag-values';
import { csvOf } from '../widgets/csv';

export interface GroupLine {
  name: string;
  rows: Row[];
  /** One for each value asked for; null where no run of the group has it. */
  values: (MeanOfRuns | null)[];
}

/** In order of first appearance; rows that belong to no group are left out. */
export function groupLines(
  rows: readonly Row[],
  group: GroupBy,
  pattern: Pattern | null,
  settingOf: SettingOf,
  values: readonly TagValue[],
  valueOf: (row: Row, value: TagValue) => number | undefined,
): GroupLine[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = groupName(row, group, pattern, settingOf);
    if (name === null) continue;
    const found = groups.get(name);
    if (found === undefined) groups.set(name, [row]);
    else found.push(row);
  }
  return [...groups].map(([name, members]) => ({
    name,
    rows: members,
    values: values.map((value) =>
      meanOfRuns(members.map((row) => valueOf(row, value)).filter((one) => one !== undefined)),
    ),
  }));
}

/** `name`, `n`, or the place of a value. */
export type GroupSort = 'name' | 'n' | number;

/** Groups without the value come last in either direction; equal ones are in order of name. */
export function sortGroups(lines: readonly GroupLine[], by: GroupSort, descending: boolean): GroupLine[] {
  const known = ({ name, rows, values }: GroupLine): Known =>
    by === 'name' ? asNumber(name) : by === 'n' ? rows.length : values[by]?.mean;
  const sign = descending ? -1 : 1;
  return [...lines].sort(
    (a, b) => compareKnown(known(a), known(b), sign) || compareKnown(asNumber(a.name), asNumber(b.name), 1),
  );
}

/** Groups by a number are in the order of numbers. */
function asNumber(name: string): Known {
  const number = Number(name);
  return name.trim() === '' || Number.isNaN(number) ? name : number;
}

/** The same numbers in full, with three columns for each value: its mean, half the interval, and n. */
export function groupsAsCsv(lines: readonly GroupLine[], values: readonly TagValue[]): string {
  const heads = values.flatMap((value) => {
    const name = describeTagValue(value);
    return [`${name}: mean`, `${name}: 95% confidence ±`, `${name}: n`];
  });
  const body = lines.map(({ name, rows, values: found }) => [
    name,
    rows.length,
    ...found.flatMap((one) => (one === null ? [null, null, 0] : [one.mean, one.interval, one.n])),
  ]);
  return csvOf([['group', 'runs', ...heads], ...body]);
}
