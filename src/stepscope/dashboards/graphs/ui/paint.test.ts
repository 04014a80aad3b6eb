// What is drawn: only what is on screen, hostile names as plain text, stacks, stubs, dashes and marks.
// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { SvgPen } from '$web/draw/svg';
import { inks } from '$web/style/theme';
import { colouring } from './colours';
import { edgeOf, rowOf, viewOf } from './fixture';
import type { Placed, PlacedRow } from './layout';
import { paintGraph, type Look } from './paint';
import { svgOf } from './picture-file';

const view = viewOf(
  [
    rowOf({ path: '<script>' }),
    rowOf({ path: '[s', kind: 'series', members: 5, name: 's_0 … s_4' }),
    rowOf({ path: 'far' }),
    rowOf({ path: 'w', aside: true }),
  ],
  [edgeOf(0, 1), edgeOf(0, 2, { tensors: 0, control: 1 }), edgeOf(3, 1)],
);
const placed: Placed = {
  rows: view.rows.map((row, index): PlacedRow => ({
    ...{ row, index, x: 0, y: index === 2 ? 5000 : index * 100, width: 80, height: 30 },
    ...{ name: row.name, detail: '', sign: row.kind === 'series' ? '+' : '', stubs: index === 1 ? 1 : 0 },
  })),
  edges: view.edges.map((edge, place) => ({
    ...{ edge, width: 1, points: place === 2 ? [] : [40, 30, 40, place === 0 ? 100 : 5000] },
    ...{
      box: { x: 40, y: 30, width: 0, height: place === 0 ? 70 : 4970 },
      label: { text: 'float32 [2]', x: 50, y: 60 },
    },
  })),
  width: 80,
  height: 5030,
};
const look: Look = {
  camera: { x: -10, y: -10, scale: 1 },
  screen: { width: 400, height: 400 },
  ink: inks.light,
  paints: colouring(view, 'structure', 'light').paints,
  selected: -1,
  hovered: -1,
  hoveredEdge: -1,
  marks: new Map([[0, '#123456']]),
  tracing: false,
  boxOf: (row) => row,
  lines: 1,
};
const drawn = (changes: Partial<Look> = {}): { text: string; rows: number } => {
  const pen = new SvgPen(400, 400, () => ({ width: 10 }) as TextMetrics);
  const rows = paintGraph(pen, placed, { ...look, ...changes });
  return { text: pen.toString('t'), rows };
};
const times = (text: string, part: string): number => text.split(part).length - 1;

test('only what is on screen is drawn, and names are text', () => {
  const { text, rows } = drawn();
  expect(rows).toBe(3);
  expect(text).toContain('&lt;script&gt;');
  expect(text).not.toContain('<script>');
  expect(text).not.toContain('>far<');
  expect(text).toContain('#123456');
  expect(text).toContain('stroke-dasharray');
  expect(times(text, 'float32 [2]')).toBe(3);
});

test('names are written in the size that they have on screen, and not at all when nobody can read them', () => {
  expect(drawn({ camera: { ...look.camera, scale: 2 } }).text).toContain('24px');
  expect(drawn({ camera: { ...look.camera, scale: 0.2 } }).text).not.toContain('<text');
});

test('what stands aside is joined only while it is selected, and a trace fades the rest', () => {
  const strokes = (changes: Partial<Look>): number => times(drawn(changes).text, inks.light.selection);
  expect(strokes({})).toBe(0);
  expect(strokes({ selected: 3 })).toBeGreaterThan(1);
  expect(drawn({ tracing: true }).text).toContain('opacity="0.22"');
});

test('the whole graph is saved, also what is not on screen', () => {
  const text = svgOf({ placed, paints: look.paints, marks: new Map(), tracing: false, ink: inks.light }, 'all');
  expect(text).toContain('>far<');
  expect(new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror')).toBeNull();
});
