// Rows and columns of the table: groups, filters, order, differences and files.
import { expect, it } from 'vitest';
import { asCsv, asJson, asLatex, latexText } from './downloads';
import { search } from './fixture';
import {
  bestOf,
  cellText,
  cellTitle,
  differsFrom,
  distinctValues,
  filteredRows,
  makeGrid,
  shownColumns,
  sortedRows,
  type Grid,
  type GridColumn,
} from './grid';
import type { Filter } from './hparams-view';

const grid = (grouped = false, kept: (session: number) => boolean = () => true): Grid =>
  makeGrid(search(), grouped, (session) => ({ label: `trial ${session}`, status: 'finished' }), kept);

function column(of: Grid, key: string): GridColumn {
  const found = of.columns.find((one) => one.key === key);
  if (found === undefined) throw new Error(key);
  return found;
}

it('has what differs first, then metrics, then what is the same everywhere', () => {
  expect(grid().columns.map(({ key }) => key)).toEqual([
    'run',
    'status',
    'h:lr',
    'h:optimizer',
    'h:seed',
    'm:loss@',
    'h:epochs',
  ]);
  const shown = shownColumns(grid(), { hidden: ['status', 'run'], diff: true }).map(({ key }) => key);
  expect(shown).toEqual(['run', 'h:lr', 'h:optimizer', 'h:seed', 'm:loss@']);
});

it('has a row for each group without the seed, with mean and spread', () => {
  const groups = grid(true);
  expect(groups.rows).toEqual([
    [0, 1, 2],
    [3, 4, 5],
  ]);
  expect(groups.columns.map(({ key }) => key)).not.toContain('h:seed');
  const loss = column(groups, 'm:loss@');
  expect([loss.value(1), loss.spread?.(1)]).toEqual([5.5, { n: 2, sd: Math.SQRT1_2, ci95: 6.353 }]);
  expect(column(groups, 'runs').value(0)).toBe(3);
});

it('leaves out what is put away', () => {
  const some = grid(true, (session) => session > 2);
  expect(filteredRows(some, [])).toEqual([1]);
});

it.each<[Filter, number[]]>([
  [{ key: 'h:lr', kind: 'interval', low: 0.05, high: null }, [0, 1, 2]],
  [{ key: 'm:loss@', kind: 'interval', low: 2, high: 5 }, [0, 2, 4]],
  [{ key: 'h:optimizer', kind: 'values', values: ['sgd'] }, [2, 3]],
  [{ key: 'h:lr', kind: 'values', values: ['0.01'] }, [3, 4, 5]],
  [{ key: 'h:optimizer', kind: 'regex', pattern: '^A' }, [0, 1, 5]],
  [{ key: 'h:optimizer', kind: 'missing', missing: true }, [4]],
  [{ key: 'm:loss@', kind: 'missing', missing: false }, [0, 1, 2, 3, 4]],
  [{ key: 'run', kind: 'regex', pattern: '[01]$' }, [0, 1]],
  [{ key: 'h:gone', kind: 'missing', missing: true }, [0, 1, 2, 3, 4, 5]],
])('keeps what a filter asks for: %j', (filter, rows) => {
  expect(filteredRows(grid(), [filter])).toEqual(rows);
  expect(filteredRows(grid(), [filter], filter.key)).toHaveLength(6);
});

it('sorts with what has no value last', () => {
  const all = grid();
  expect(sortedRows([0, 1, 2, 3, 4, 5], column(all, 'm:loss@'), false)).toEqual([1, 2, 0, 4, 3, 5]);
  expect(sortedRows([0, 1, 2, 3, 4, 5], column(all, 'm:loss@'), true)).toEqual([3, 4, 0, 2, 1, 5]);
  expect(sortedRows([2, 1], undefined, false)).toEqual([2, 1]);
});

it('knows the best value and differences to a baseline', () => {
  const all = grid();
  const loss = column(all, 'm:loss@');
  expect(bestOf([0, 1, 2, 3], loss)).toBe(1);
  expect([cellText(loss, 3, 0), cellText(loss, 0, 0), cellText(loss, 5, 0)]).toEqual(['+3', '3', '–']);
  expect(cellText(column(all, 'h:lr'), 3, 0)).toBe('0.01');
  expect([differsFrom(column(all, 'h:lr'), 3, 0), differsFrom(column(all, 'h:lr'), 1, 0)]).toEqual([true, false]);
  expect(cellTitle(loss, 3, 0)).toContain('baseline 3');
});

it('lists different values, unless there are too many', () => {
  expect(distinctValues([0, 1, 2, 3, 4], column(grid(), 'h:optimizer'), 5)).toEqual(['adam', 'sgd']);
  expect(distinctValues([0, 1, 2, 3, 4], column(grid(), 'm:loss@'), 3)).toBeNull();
});

it('writes files', () => {
  const all = grid();
  const some = [column(all, 'run'), column(all, 'h:optimizer'), column(all, 'm:loss@')];
  expect(asCsv([0, 4, 5], some)).toBe('Run,optimizer,loss\r\ntrial 0,adam,3\r\ntrial 4,,5\r\ntrial 5,adam,\r\n');
  expect(JSON.parse(asJson([4], some))).toEqual([{ Run: 'trial 4', optimizer: null, loss: 5 }]);
  const groups = grid(true);
  const loss = [column(groups, 'm:loss@')];
  expect(asCsv([0], loss)).toBe('loss: mean,loss: sd,loss: 95% confidence ±,loss: n\r\n2,1,2.484,3\r\n');
  const tex = asLatex([0], [column(groups, 'h:lr'), ...loss]).split('\n');
  expect([tex[0], tex[4]]).toEqual(['\\begin{tabular}{rr}', '  $0.1$ & $2$ $\\pm$ $1$ \\\\']);
  expect(latexText('a_b\\^{~}%')).toBe('a\\_b\\textbackslash{}\\textasciicircum{}\\{\\textasciitilde{}\\}\\%');
});
