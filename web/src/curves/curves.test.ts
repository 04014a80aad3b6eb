// Lines carry their run's look, and the words about them are exact.
import { describe, expect, it } from 'vitest';
import { seriesKey, type SeriesPart } from '../api/series';
import { aRun } from '../runs/fixture';
import { makeRows } from '../runs/rows';
import {
  countPoints,
  describeNotices,
  describeOffLogX,
  describePoints,
  makeCurves,
  makeGroupCurves,
  restartSteps,
} from './curves';

function part(run: string, tag: string, more: Partial<SeriesPart> = {}): SeriesPart {
  const x = Float64Array.of(0, 1);
  return {
    run,
    tag,
    points: 10,
    superseded: 0,
    restarts: 0,
    in_range: 10,
    exact: false,
    x_extent: [0, 9],
    y_extent: [0, 1],
    y_inner: [0, 1],
    nan: 0,
    inf: 0,
    notices: [],
    segments: [],
    x,
    y: x,
    step: x,
    wall: x,
    segment: new Int32Array(2),
    smooth: null,
    marks: null,
    ...more,
  };
}

const rows = makeRows(
  [
    aRun('a/train', { experiment: 'a', role: 'train' }),
    aRun('a/validation', { experiment: 'a', role: 'validation' }),
    aRun('b'),
  ],
  false,
);
const ids = rows.flatMap((row) => row.runs.map((run) => run.id));
const context = {
  rowOf: (id: string) => rows.find((row) => row.runs.some((run) => run.id === id)),
  labelOf: (row: { label: string }) => row.label,
  colourOf: () => '#123456',
  dashOf: (run: { role: string | null }) => (run.role === 'validation' ? ('dashed' as const) : ('solid' as const)),
  segments: 'latest' as const,
  wholeLogX: false,
};
const partsOf = (...all: SeriesPart[]) => new Map(all.map((one) => [seriesKey(one.run, one.tag), one]));

describe('makeCurves', () => {
  it('draws validation dashed and names the role', () => {
    const curves = makeCurves(['loss'], ids, partsOf(...ids.map((id) => part(id, 'loss'))), context);
    expect(curves.map((curve) => `${curve.label}: ${curve.dash}`)).toEqual([
      'a train: solid',
      'a validation: dashed',
      'b: solid',
    ]);
  });

  it('marks characters that would hide or reorder others', () => {
    const named = { ...context, labelOf: () => '\u202egnp.exe' };
    const [curve] = makeCurves(['loss'], ids, partsOf(part(ids[2] ?? '', 'loss')), named);
    expect(curve?.label).toBe('\ufffdgnp.exe');
  });

  it('tells tags of one card apart by shade, and leaves out what has no points', () => {
    const parts = partsOf(
      part(ids[2] ?? '', 'loss'),
      part(ids[2] ?? '', 'acc'),
      part(ids[0] ?? '', 'acc', { points: 0 }),
    );
    const shaded = { ...context, colourOf: (_: string, shade: number) => `shade ${shade}` };
    const curves = makeCurves(['loss', 'acc'], ids, parts, shaded);
    expect(curves.map(({ label, dash, colour }) => `${label}: ${dash}, ${colour}`)).toEqual([
      'b loss: solid, shade 0',
      'b acc: solid, shade 1',
    ]);
  });
});

it('knows how many points were left out for a logarithmic x axis', () => {
  const [run = ''] = ids;
  const left = (more: Partial<SeriesPart>, wholeLogX = true) =>
    makeCurves(['loss'], ids, partsOf(part(run, 'loss', more)), { ...context, wholeLogX })[0]?.offLogX;
  expect(left({ points: 10, superseded: 3, in_range: 6 })).toBe(1);
  expect(left({ points: 10, superseded: 3, in_range: 6 }, false)).toBe(0);
  expect(left({ points: 10, in_range: 6, x_extent: [1, 9] })).toBe(0);
});

it('says what a logarithmic x axis leaves out', () => {
  expect(describeOffLogX(0)).toBe('');
  expect(describeOffLogX(1)).toMatch(/^1 point at x ≤ 0 /);
  expect(describeOffLogX(2)).toMatch(/^2 points at x ≤ 0 /);
});

it('draws groups with a band and their size', () => {
  const x = Float64Array.of(1, 2);
  const groups = [
    { name: 'lr1', role: null, runs: ['x', 'y'] },
    { name: 'empty', role: null, runs: [] },
  ];
  const empty = new Float64Array();
  const curves = makeGroupCurves(
    groups,
    [
      {
        name: 'lr1',
        runs: 2,
        n_min: 1,
        n_max: 2,
        x,
        mid: x,
        low: Float64Array.of(0, 1),
        high: Float64Array.of(2, Number.NaN),
        n: Int32Array.of(2, 1),
        ended: 1,
        marks: { x: Float64Array.of(2), kind: Uint8Array.of(1) },
      },
      {
        name: 'empty',
        runs: 0,
        n_min: 0,
        n_max: 0,
        x: empty,
        mid: empty,
        low: empty,
        high: empty,
        n: new Int32Array(),
        ended: 0,
        marks: null,
      },
    ],
    { colourOf: () => '#000000', dashOf: () => 'dotted', labelOf: (group) => group.name },
  );
  expect(curves.map((curve) => curve.label)).toEqual(['lr1 (n = 1–2)']);
  expect(curves[0]?.dash).toBe('dotted');
  expect(curves[0]?.marks?.x).toEqual(Float64Array.of(2));
  expect(curves[0]?.yExtent).toEqual([0, 2]);
});

it('lets one spike of a group be an outlier', () => {
  const x = Float64Array.from({ length: 101 }, (_, i) => i);
  const mid = Float64Array.from(x, (value) => (value === 50 ? 9000 : value));
  const group = { name: 'lr1', runs: ['a', 'b'], role: null };
  const curves = makeGroupCurves(
    [group],
    [
      {
        name: 'lr1',
        runs: 2,
        n_min: 2,
        n_max: 2,
        ended: 0,
        marks: null,
        x,
        mid,
        low: mid,
        high: mid,
        n: new Int32Array(),
      },
    ],
    {
      colourOf: () => '#000000',
      dashOf: () => 'solid',
      labelOf: () => 'lr1',
    },
  );
  expect(curves[0]?.yExtent).toEqual([0, 9000]);
  expect(curves[0]?.yInner).toEqual([5, 96]);
});

it('describes points', () => {
  expect(describePoints({ drawn: 1998, all: 48210, superseded: 1240, nan: 0, inf: 0 })).toBe(
    '1998 of 48\u202f210 points, 1240 superseded',
  );
  expect(describePoints({ drawn: 1, all: 1, superseded: 0, nan: 0, inf: 0 })).toBe('1 point');
  expect(describePoints({ drawn: 0, all: 0, superseded: 0, nan: 0, inf: 0 })).toBe('');
  expect(countPoints([part('a', 't'), part('b', 't', { superseded: 3 })])).toEqual({
    drawn: 4,
    all: 20,
    superseded: 3,
    nan: 0,
    inf: 0,
  });
});

it('counts marks as drawn and names what is not finite', () => {
  const marks = { x: Float64Array.of(3, 4, 5), kind: Uint8Array.of(1, 1, 2) };
  const counts = countPoints([part('a', 't', { points: 5, nan: 2, inf: 1, marks })]);
  expect(describePoints(counts)).toBe('5 points, 2 NaN, 1 Inf');
});

it('gathers notices and restarts once', () => {
  const segments = [
    { first_step: 0, last_step: 9, points: 9, superseded: 0, cause: 'start' },
    { first_step: 5, last_step: 9, points: 9, superseded: 0, cause: 'new_file' },
  ];
  const parts = [
    part('a', 't', { notices: ['one_step_only', 'new_kind'], segments }),
    part('b', 't', { notices: ['one_step_only'], segments }),
  ];
  expect(describeNotices(parts)).toEqual([expect.stringContaining('same step'), 'new_kind']);
  expect(restartSteps(parts)).toEqual([5]);
});
