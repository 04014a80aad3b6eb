// The layout by the real ELK: nothing overlaps, edges go down, what stands aside has no lines.
// @vitest-environment happy-dom
import ELK from 'elkjs/lib/elk.bundled.js';
import { expect, test } from 'vitest';
import type { ElkGraph } from './elk';
import { edgeOf, rowOf, viewOf } from './fixture';
import { elkGraphOf, overlap, placedOf, shapeText, widthOf, type Placed } from './layout';
import { edgeAt, rowAt, step } from './walk';

async function laidOut(view: ReturnType<typeof viewOf>): Promise<Placed> {
  const laid = (await new ELK().layout(elkGraphOf(view) as never)) as unknown as ElkGraph;
  return placedOf(view, laid);
}

const view = viewOf(
  [
    rowOf({ path: 'a' }),
    rowOf({ path: 's/', open: true, nodes: 2 }),
    rowOf({ path: 's/b', parent: 1 }),
    rowOf({ path: 's/c', parent: 1, op: 'Mul' }),
    rowOf({ path: 'd' }),
    rowOf({ path: 'w', aside: true }),
    rowOf({ path: 's/v', parent: 1, aside: true }),
  ],
  [
    edgeOf(0, 2),
    edgeOf(2, 3),
    edgeOf(3, 4),
    edgeOf(5, 4),
    edgeOf(6, 3),
    edgeOf(0, 4, { tensors: 0, control: 1, shapes: [] }),
  ],
);

test('rows stand inside their scope, below what they depend on, and over nothing else', async () => {
  const { rows, edges, width, height } = await laidOut(view);
  const [a, s, b, c, d, w, v] = rows;
  for (const inside of [b, c, v]) {
    expect(inside.x).toBeGreaterThan(s.x);
    expect(inside.x + inside.width).toBeLessThan(s.x + s.width);
    expect(inside.y + inside.height).toBeLessThanOrEqual(s.y + s.height);
  }
  const closed = [a, b, c, d, w, v];
  for (const one of closed) for (const other of closed) expect(one !== other && overlap(one, other)).toBe(false);
  for (const { edge, points } of edges.filter(({ points }) => points.length > 0)) {
    const [from, to] = [rows[edge.source], rows[edge.target]];
    expect(points[1]).toBeCloseTo(from.y + from.height, 0);
    expect(points.at(-1)).toBeCloseTo(to.y, 0);
    expect(points[0]).toBeGreaterThanOrEqual(from.x);
    expect(points.at(-2)).toBeLessThanOrEqual(to.x + to.width);
  }
  expect(edges.map(({ points }) => points.length > 0)).toEqual([true, true, true, false, false, true]);
  expect([d.stubs, c.stubs, a.stubs]).toEqual([1, 1, 0]);
  expect(width).toBeGreaterThanOrEqual(w.x + w.width);
  expect(height).toBeGreaterThanOrEqual(d.y + d.height);
});

test('arrows follow edges, and what is under the pointer is the innermost row', async () => {
  const placed = await laidOut(view);
  expect(step(placed, 0, 'down')).toBe(2);
  expect(step(placed, 2, 'down')).toBe(3);
  expect(step(placed, 3, 'up')).toBe(2);
  expect(step(placed, -1, 'down')).toBe(0);
  const [, s, b] = placed.rows;
  expect(rowAt(placed, b.x + 4, b.y + 4)).toMatchObject({ row: { index: 2 }, onGround: false });
  expect(rowAt(placed, s.x + 4, s.y + 4)).toMatchObject({ row: { index: 1 }, onGround: false, onSign: false });
  expect(rowAt(placed, s.x + s.width - 8, s.y + 8)).toMatchObject({ onSign: true });
  expect(rowAt(placed, s.x + 2, s.y + s.height - 2)).toMatchObject({ row: { index: 1 }, onGround: true });
  expect(rowAt(placed, -50, -50)).toBeNull();
  const { points } = placed.edges[1];
  expect(edgeAt(placed, points[0] + 1, (points[1] + points[3]) / 2, 4)).toBe(1);
  expect(edgeAt(placed, -50, -50, 4)).toBe(-1);
});

test('edges say how many tensors they carry, and of which shape', () => {
  expect(shapeText(edgeOf(0, 1))).toBe('float32 [2]');
  expect(shapeText(edgeOf(0, 1, { tensors: 3 }))).toBe('3 × float32 [2]');
  expect(shapeText(edgeOf(0, 1, { tensors: 3, shapes: ['a', 'b'] }))).toBe('3 tensors');
  expect(shapeText(edgeOf(0, 1, { tensors: 0, control: 2, shapes: [] }))).toBe('');
  const widths = [0, 1, 2, 8, 1000].map(widthOf);
  expect(widths).toEqual([...widths].sort((one, other) => one - other));
  expect(widths[1]).toBe(1);
  expect(widths.at(-1)).toBe(6);
});
