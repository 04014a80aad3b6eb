// Roofs meet at their ridge, lie inside the axes, and only points with arithmetic and bytes are drawn.
import { expect, it } from 'vitest';
import type { Roof, RooflinePoint } from '$api';
import { apart, domains, nearest, places, segments } from './roofline-layout';

const A100: Roof = {
  device: 'A100',
  count: 1,
  flops_per_second: { fp32: 20e12, fp16: 300e12 },
  bytes_per_second: 2e12,
  levels: [
    { name: 'Shared memory', bytes_per_second: 20e12 },
    { name: 'L2', bytes_per_second: 6e12 },
  ],
};

function row(name: string, intensity: number | null, rate: number | null): RooflinePoint {
  return {
    name,
    detail: '',
    device: 'GPU 0',
    worker: 'worker0',
    host: '',
    rank: null,
    count: 1,
    total_us: 1,
    share: 0.1,
    flops: 1,
    flops_from: 'HLO',
    bytes: 1,
    bytes_from: 'HLO',
    flops_per_byte: intensity,
    flops_per_second: rate,
    bytes_per_second: 1,
    peak_flops_per_second: null,
    peak_bytes_per_second: null,
    peaks_from: '',
    ridge_flops_per_byte: null,
    flops_share_of_peak: null,
    bandwidth_share_of_peak: null,
    share_of_roof: null,
    bound_by: '',
    achieved_occupancy: null,
    rematerialised: false,
    implausible: false,
  };
}

it('draws only what has arithmetic and bytes', () => {
  const rows = [row('a', 2, 1e12), row('b', 0, 0), row('c', null, 1e12), row('d', 1, null)];
  expect(places(rows).map((place) => place.row.name)).toEqual(['a']);
});

it('has axes that hold points, peaks and ridges', () => {
  const { x, y } = domains([A100], places([row('low', 0.1, 1e10), row('high', 5000, 1e12)]));
  expect(x[0]).toBeLessThan(0.1);
  expect(x[1]).toBeGreaterThan(5000);
  expect(y[0]).toBeLessThan(1e10);
  expect(y[1]).toBeGreaterThan(300e12);
  expect(domains([], []).y).toEqual([1, 10]);
});

it('lets slopes end where they meet the highest arithmetic, and flat roofs begin at their ridge', () => {
  const found = segments(A100, [0.1, 1000], [1e10, 1e15]);
  expect(found.map(({ label }) => label)).toEqual(['fp16', 'fp32', 'Memory', 'L2', 'Shared memory']);
  const [fp16, fp32, memory, l2] = found;
  expect(fp16?.from).toEqual([150, 300e12]);
  expect(fp32?.from).toEqual([10, 20e12]);
  expect(memory?.from).toEqual([0.1, 0.2e12]);
  expect(memory?.to).toEqual([150, 300e12]);
  expect(l2?.to[0]).toBeCloseTo(50);
});

it('keeps lines inside the axes', () => {
  for (const { from, to } of segments(A100, [1, 20], [1e13, 1e15])) {
    expect(from[0]).toBeGreaterThanOrEqual(1);
    expect(to[0]).toBeLessThanOrEqual(20);
    expect(from[1]).toBeGreaterThanOrEqual(1e13);
  }
});

it('draws what is known of a device', () => {
  const onlyMemory = segments({ ...A100, flops_per_second: {}, levels: [] }, [0.1, 1000], [1e10, 1e15]);
  expect(onlyMemory.map(({ label }) => label)).toEqual(['Memory']);
  const onlyArithmetic = segments({ ...A100, bytes_per_second: null, levels: [] }, [0.1, 1000], [1e10, 1e15]);
  expect(onlyArithmetic.map(({ from }) => from[0])).toEqual([0.1, 0.1]);
});

it('leaves out what is slower by eight decades', () => {
  const { y } = domains([A100], places([row('idle', 1, 1)]));
  expect(y[0]).toBe(300e12 / 1e8);
});

it('gives every label room', () => {
  const labels = [{ top: 10 }, { top: 30 }, { top: 12 }, { top: 11 }];
  expect(apart(labels, 15).map(({ top }) => top)).toEqual([10, 25, 40, 55]);
});

it('finds the nearest point within reach', () => {
  const points = [
    { left: 0, top: 0 },
    { left: 10, top: 0 },
  ];
  expect(nearest(points, 8, 1, 12)).toBe(points[1]);
  expect(nearest(points, 40, 40, 12)).toBeNull();
});
