// Rows for groups have the mean, the interval and the number of their runs, sorted, and the same in the file.
import { describe, expect, it } from 'vitest';
import { compilePattern } from './groups';
import { groupLines, groupsAsCsv, sortGroups } from './group-table';
import { aRun } from './fixture';
import { makeRows, type Row } from './rows';
import type { GroupBy, TagValue } from '../state/view';

const results: Record<string, number | undefined> = { lr10_a: 1, lr10_b: 3, lr2_a: 5, lr2_b: Number.NaN, other: 9 };
const rates: Record<string, string | undefined> = { lr10_a: '10', lr10_b: '10', lr2_a: '2', lr2_b: '2' };
const rows = makeRows(
  Object.keys(results).map((name) => aRun(name)),
  false,
);
const loss: TagValue = { kind: 'last', tag: 'a,b', role: null };
const lines = (group: GroupBy) =>
  groupLines(
    rows,
    group,
    group.by === 'regex' ? compilePattern(group.pattern) : null,
    (row: Row) => rates[row.name],
    [loss],
    (row) => results[row.name],
  );

describe('groups of the table', () => {
  it('have a mean of the runs with a value, by setting or by pattern', () => {
    const found = lines({ by: 'setting', setting: 'lr' });
    expect(found.map((line) => [line.name, line.rows.length])).toEqual([
      ['10', 2],
      ['2', 2],
    ]);
    // s = √2, s/√2 = 1, t(1) = 12.7062.
    expect(found[0]?.values[0]).toEqual({ mean: 2, interval: expect.closeTo(12.7062, 3) as number, n: 2 });
    expect(found[1]?.values[0]).toEqual({ mean: 5, interval: null, n: 1 });
    expect(lines({ by: 'regex', pattern: 'lr([0-9]+)' }).map((line) => line.name)).toEqual(['10', '2']);
  });

  it('are sorted by name, size or mean', () => {
    const found = lines({ by: 'setting', setting: 'lr' });
    const names = (...how: [Parameters<typeof sortGroups>[1], boolean]) =>
      sortGroups(found, ...how).map((line) => line.name);
    expect(names('name', false)).toEqual(['2', '10']);
    expect(names(0, false)).toEqual(['10', '2']);
    expect(names(0, true)).toEqual(['2', '10']);
    expect(names('n', true)).toEqual(['2', '10']);
  });

  it('are the same numbers in a file', () => {
    const text = groupsAsCsv(lines({ by: 'setting', setting: 'lr' }), [loss]);
    const [heads = '', first = '', second = '', ...rest] = text.split('\r\n');
    expect(heads).toBe('group,runs,"Last a,b: mean","Last a,b: 95% confidence ±","Last a,b: n"');
    expect(first.split(',').map(Number)).toEqual([10, 2, 2, expect.closeTo(12.7062, 3), 2]);
    expect(second).toBe('2,2,5,,1');
    expect(rest).toEqual(['']);
  });
});
