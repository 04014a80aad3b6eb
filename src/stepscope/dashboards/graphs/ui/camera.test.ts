// Moving and zooming keep what they should, and movement ends where it belongs.
import { expect, test } from 'vitest';
import { first, fitted, held, moved, MOST, revealing, zoomed, type Camera } from './camera';
import { rowOf } from './fixture';
import type { Placed, PlacedRow } from './layout';
import { boxesOf, momentOf, MOVE_MS } from './motion';
import { scaleOf } from './picture-file';

const camera: Camera = { x: 10, y: 20, scale: 2 };
const screen = { width: 800, height: 600 };
const at = ({ x, y, scale }: Camera, px: number, py: number): [number, number] => [x + px / scale, y + py / scale];

test('the point under the pointer stays when zooming, and moves with the hand', () => {
  const near = zoomed(camera, 1.5, 100, 50);
  expect(at(near, 100, 50)[0]).toBeCloseTo(at(camera, 100, 50)[0]);
  expect(at(near, 100, 50)[1]).toBeCloseTo(at(camera, 100, 50)[1]);
  expect(zoomed(camera, 1e9, 0, 0).scale).toBe(MOST);
  expect(at(moved(camera, 30, 40), 30, 40)).toEqual(at(camera, 0, 0));
});

test('a graph is fitted whole, one too large to read begins at its top, and a row is shown', () => {
  const large = { width: 4000, height: 9000 };
  const all = fitted(large, screen);
  expect(all.x).toBeLessThan(0);
  expect(all.x + screen.width / all.scale).toBeGreaterThan(large.width);
  expect(first(large, screen).scale).toBeGreaterThan(all.scale);
  expect(first(large, screen).y).toBeLessThan(0);
  expect(first({ width: 100, height: 100 }, screen)).toEqual(fitted({ width: 100, height: 100 }, screen));
  const box = { x: 3000, y: 5000, width: 100, height: 30 };
  const seen = revealing(all, box, screen);
  expect(seen.x).toBeLessThan(box.x);
  expect(seen.x + screen.width / seen.scale).toBeGreaterThan(box.x + box.width);
  expect(seen.y + screen.height / seen.scale).toBeGreaterThan(box.y + box.height);
  expect(revealing(camera, { x: 100, y: 100, width: 50, height: 30 }, screen)).toEqual(camera);
  expect(held(camera, box, { ...box, x: 3010, y: 4990 })).toEqual({ ...camera, x: 20, y: 10 });
});

test('rows go from where they were to where they belong, new ones out of their scope', () => {
  const placedRow = (path: string, index: number, x: number, parent: number | null = null): PlacedRow => ({
    ...{
      row: rowOf({ path, parent }),
      index,
      x,
      y: 0,
      width: 10,
      height: 10,
      name: path,
      detail: '',
      sign: '',
      stubs: 0,
    },
  });
  const of = (...rows: PlacedRow[]): Placed => ({ rows, edges: [], width: 100, height: 100 });
  const before = of(placedRow('s/', 0, 0));
  const now = of(placedRow('s/', 0, 50), placedRow('s/new', 1, 80, 0));
  const motion = { start: 0, from: camera, boxes: boxesOf(before, 5, 0) };
  const start = momentOf(motion, camera, now, 0);
  expect(start.boxOf(now.rows[0]).x).toBe(5);
  expect(start.boxOf(now.rows[1]).x).toBe(5);
  expect([start.lines, start.over]).toEqual([0, false]);
  const end = momentOf(motion, camera, now, MOVE_MS);
  expect(end.boxOf(now.rows[1]).x).toBe(80);
  expect([end.lines, end.over]).toEqual([1, true]);
  expect(MOVE_MS).toBeLessThan(200);
});

test('a picture is never larger than a browser can make', () => {
  expect(scaleOf(500, 300)).toBe(2);
  expect(scaleOf(100_000, 300) * 100_048).toBeLessThanOrEqual(16_000);
});
