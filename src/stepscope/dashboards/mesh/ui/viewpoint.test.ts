// Meshes are wholly in the picture at the start, and turn, zoom and shift as a hand expects.
import { expect, it } from 'vitest';
import {
  DEFAULT_FOV,
  extentOf,
  matrixOf,
  nearer,
  numbersOf,
  shifted,
  START,
  turned,
  viewpointOf,
  type Projection,
  type Viewpoint,
} from './viewpoint';

const CUBE = Float32Array.from(
  [0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => [10 + (i & 1), -5 + ((i >> 1) & 1), (i >> 2) & 1]),
);

/** Where a point is in the picture, -1 to 1 in each direction. */
function seen(point: readonly number[], view: Viewpoint, projection: Projection = DEFAULT_FOV): number[] {
  const matrix = matrixOf(view, extentOf(CUBE), projection, 1.5);
  const at = [0, 1, 2, 3].map((row) =>
    [...point, 1].reduce((sum, value, column) => sum + (matrix[column * 4 + row] ?? 0) * value, 0),
  );
  return [0, 1, 2].map((row) => (at[row] ?? 0) / (at[3] ?? 1));
}

it('knows the middle and the reach, also of one point and of none', () => {
  expect(extentOf(CUBE)).toEqual({ middle: [10.5, -4.5, 0.5], reach: expect.closeTo(Math.sqrt(0.75), 6) });
  expect(extentOf(Float32Array.of(1, 2, 3)).reach).toBe(1);
  expect(extentOf(new Float32Array())).toEqual({ middle: [0, 0, 0], reach: 1 });
});

it('shows everything from anywhere', () => {
  for (let turn = 0; turn < 7; turn += 0.5) {
    for (let i = 0; i < CUBE.length; i += 3) {
      const place = seen([...CUBE.subarray(i, i + 3)], { ...START, turn, lift: turn / 5 });
      expect(Math.max(...place.map(Math.abs))).toBeLessThan(1);
    }
  }
  expect(seen([10.5, -4.5, 0.5], START).slice(0, 2)).toEqual([expect.closeTo(0, 5), expect.closeTo(0, 5)]);
});

it('turns with the hand: what is right of the middle goes left when dragged there', () => {
  const flat = { ...START, turn: 0, lift: 0 };
  const before = seen([11, -4.5, 1], flat)[0] ?? 0;
  const after = seen([11, -4.5, 1], turned(flat, -0.3, 0))[0] ?? 0;
  expect(after).toBeLessThan(before);
  expect(turned(START, 0, 100).lift).toBeLessThan(Math.PI / 2);
});

it('comes nearer and shifts', () => {
  const flat = { ...START, turn: 0, lift: 0 };
  expect(seen([11, -4.5, 1], nearer(flat, 2))[0]).toBeGreaterThan(1.5 * (seen([11, -4.5, 1], flat)[0] ?? 0));
  expect(nearer(START, 1e9).near).toBe(100);
  expect(seen([10.5, -4.5, 0.5], shifted(flat, 0.25, 0))[0]).toBeCloseTo(0.5 / 1.5, 5);
});

it('is five numbers in the address, of which none can be too large', () => {
  const from = shifted(nearer(turned(START, 0.3, 0.2), 2), 0.25, -0.5);
  expect(viewpointOf(numbersOf(from))).toEqual(from);
  expect([viewpointOf(null), viewpointOf([1, 2, 3])]).toEqual([START, START]);
  const wild = viewpointOf([1e9, 1e9, 1e9, -1e9, 1e9]);
  expect(Math.abs(wild.turn)).toBeLessThan(2 * Math.PI);
  expect([wild.lift < Math.PI / 2, wild.near, wild.shift]).toEqual([true, 100, [-10, 10]]);
});

it('draws what is far as large as what is near, where the log wants that', () => {
  const flat = { ...START, turn: 0, lift: 0 };
  const [far = 0, near = 0] = [0, 1].map((z) => seen([11, -4.5, z], flat, 'orthographic')[0]);
  expect(far).toBeCloseTo(near, 6);
  expect(seen([11, -4.5, 0], flat)[0]).toBeLessThan(seen([11, -4.5, 1], flat)[0] ?? 0);
  for (let i = 0; i < CUBE.length; i += 3)
    expect(Math.max(...seen([...CUBE.subarray(i, i + 3)], START, 'orthographic').map(Math.abs))).toBeLessThan(1);
  expect(seen([10.5, -4.5, 0.5], shifted(flat, 0.25, 0), 'orthographic')[0]).toBeCloseTo(0.5 / 1.5, 5);
});
