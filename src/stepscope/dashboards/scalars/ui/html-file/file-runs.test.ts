// The runs of a file: their rows, colours and what they differ in.
import { expect, it } from 'vitest';
import type { RunSettings } from '$api';
import { aRun } from '$web/runs/fixture';
import { runColours } from '$web/style/theme';
import { groupsOfFile, looksOf, rowsOf, settingsOf } from './file-runs';

const runs = [
  aRun('sweep/a/train', { id: 'a', experiment: 'sweep/a', role: 'train' }),
  aRun('sweep/a/validation', { id: 'v', experiment: 'sweep/a', role: 'validation' }),
  aRun('sweep/b', { id: 'b', colour: '#123456' }),
];

it('joins the runs of an experiment and keeps the colours of the page', () => {
  const rows = rowsOf({ runs });
  expect(rows.map((row) => row.runs.map((run) => run.id))).toEqual([['a', 'v'], ['b']]);
  const looks = looksOf({ wanted: { colours: { a: 7 } }, settings: [] }, rows, 'light');
  expect([looks.colourOf('a', 0), looks.colourOf('v', 0), looks.colourOf('b', 0)]).toEqual([
    runColours.light[7],
    runColours.light[7],
    '#123456',
  ]);
  expect(rows.map(looks.shortLabel)).toEqual(['a', 'b']);
});

it('colours runs by a setting, and groups as the page did', () => {
  const rows = rowsOf({ runs });
  const settings: RunSettings[] = [{ id: 'v', values: { lr: '0.1' }, hosts: [] }];
  const looks = looksOf({ wanted: { colour_by: 'lr' }, settings }, rows, 'dark');
  expect(looks.colourOf('a', 0)).toBe(looks.values?.colourOf('0.1'));
  expect(looks.colourOf('b', 0)).toBe(looks.values?.colourOf(undefined));
  const wanted = {
    groups: [
      { name: 'x', runs: ['a'], role: 'validation' as const, colour: 5 },
      { name: 'y', runs: ['b'] },
    ],
  };
  const { groups, look } = groupsOfFile({ wanted }, 'dark');
  expect(groups.map(look.labelOf)).toEqual(['x validation', 'y']);
  expect(look.colourOf('x')).toBe(runColours.dark[5]);
  expect(look.colourOf('y')).not.toBe(runColours.dark[5]);
});

it('has the settings that differ, or those of the only run', () => {
  const settings: RunSettings[] = [
    { id: 'v', values: { lr: '0.1', optimizer: 'adam' }, hosts: [] },
    { id: 'b', values: { lr: '0.2', optimizer: 'adam', constructor: 'x' }, hosts: [] },
  ];
  const rows = rowsOf({ runs });
  const { names, of } = settingsOf(settings, rows);
  expect(names).toEqual(['constructor', 'lr']);
  expect(rows.map((row) => names.map((name) => of(row, name)))).toEqual([
    [undefined, '0.1'],
    ['x', '0.2'],
  ]);
  expect(settingsOf(settings, rows.slice(0, 1)).names).toEqual(['constructor', 'lr', 'optimizer']);
});
