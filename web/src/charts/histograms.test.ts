// @vitest-environment happy-dom
// Histograms as pictures: slots meet halfway, shades follow the logarithm, hills and cells are found under the pointer.
import { describe, expect, it } from 'vitest';
import { bucketAt, type BandsPart, type GridPart, type Slots } from '../api/histograms';
import { brightness, mix, ramp, shadesOfColour } from '../draw/colour';
import { packColour } from '../draw/raster';
import { inks, runColours } from '../style/theme';
import { heatRange, rasterHeat, shadesOf, slotAt, slotEdges } from './heat';
import { bucketFacts, hoverAt, levelFacts, pointOf, slotOf, stepsOf } from './histogram-hover';
import { buildHistogramScene, type HistogramMode, type HistogramScene } from './histogram-scene';

const f64 = (...list: number[]): Float64Array => Float64Array.from(list);

function slots(x: number[], count: number[] = x.map(() => 1)): Slots {
  return {
    first_x: f64(...x),
    last_x: f64(...x),
    first_step: f64(...x),
    step: f64(...x),
    wall: f64(...x),
    count: Int32Array.from(count),
  };
}

function grid(x: number[], cells: number[], values: [number, number] = [0, 4]): GridPart {
  const extent: [number, number] = [Math.min(...x), Math.max(...x)];
  return {
    kind: 'grid',
    extent: null,
    run: 'a',
    tag: 'w',
    steps: x.length,
    in_range: x.length,
    x_extent: extent,
    problem: null,
    notices: [],
    slots: slots(x),
    values,
    bins: cells.length / x.length,
    cells: Float32Array.from(cells),
  };
}

const scene = (part: GridPart | BandsPart, mode: HistogramMode): HistogramScene =>
  buildHistogramScene(
    part,
    { mode, xAxis: 'step', timeLabel: 'step', timeRange: null, valueRange: null, colour: '#ff0000' },
    { width: 300, height: 200 },
    inks.light,
  );

describe('slots', () => {
  it('meet halfway and are as wide outside as inside', () => {
    expect([...slotEdges(slots([0, 10, 40]), [0, 40])]).toEqual([-5, 5, 25, 55]);
    expect([...slotEdges(slots([7]), [0, 10])]).toEqual([2, 12]);
  });
  it('are found by x', () => {
    const edges = f64(-5, 5, 25, 55);
    expect([-6, -5, 4, 5, 24.9, 25, 55, 56, NaN].map((x) => slotAt(edges, x))).toEqual([-1, 0, 0, 1, 1, 2, 2, -1, -1]);
    expect(slotAt(f64(0), 0)).toBe(-1);
  });
});

describe('shades', () => {
  it('step by equal factors', () => {
    expect([...shadesOf(Float32Array.from([0, 1, 10, 100]))]).toEqual([0, 1, 128, 255]);
    expect([...shadesOf(Float32Array.from([0, 3, 3]))]).toEqual([0, 255, 255]);
    expect([...shadesOf(Float32Array.from([NaN, 0]))]).toEqual([0, 0]);
    expect(heatRange(Float32Array.from([0, 1, 10, 100]))).toEqual([1, 100]);
    expect(heatRange(Float32Array.from([NaN, 0]))).toBeNull();
    // A sliver of a bucket among many cells does not make all others dark.
    const cells = Float32Array.from({ length: 200 }, (_, i) => (i === 0 ? 1e-5 : i < 100 ? 1 : 100));
    expect([...shadesOf(cells)].filter((shade) => shade === 1).length).toBe(100);
  });
});

describe('colours', () => {
  it('mix and ramp', () => {
    expect(mix('#000000', '#ff8000', 0.5)).toBe('#804000');
    for (const colour of [...runColours.light, ...runColours.dark]) {
      for (const [ground, end] of [
        ['#ffffff', '#0a0e1a'],
        ['#191c21', '#ffffff'],
      ] as const) {
        const [first, middle, last] = shadesOfColour(ground, colour, end).map(brightness);
        const between = (middle - first) / (last - first);
        expect(between, `${colour} on ${ground}`).toBeGreaterThan(0.1);
        expect(between, `${colour} on ${ground}`).toBeLessThan(0.9);
      }
    }
    const colours = ramp('#000000', '#ff0000', '#ffffff', 3);
    expect([...colours]).toEqual(['#000000', '#ff0000', '#ffffff'].map((colour) => packColour(colour)));
  });
});

describe('heat map', () => {
  it('has high values above and time to the right', () => {
    const part = grid([0, 1], [1, 0, 0, 0, 0, 0, 0, 1]);
    const { plot } = scene(part, 'heat').scene;
    const raster = rasterHeat(part, plot, 1, ['#000000', '#ff0000', '#ffffff']);
    const at = (column: number, row: number): boolean => raster.pixels[row * raster.width + column] !== 0;
    const [right, bottom] = [raster.width - 2, raster.height - 2];
    expect([at(1, bottom), at(1, 1), at(right, bottom), at(right, 1)]).toEqual([true, false, false, true]);
  });
});

describe('hover', () => {
  it('finds slot and value on a heat map', () => {
    const part = grid([0, 10, 20], Array(12).fill(1) as number[]);
    const laid = scene(part, 'heat');
    const found = hoverAt(laid, part, pointOf(laid, part, 1, 0.75));
    expect(found?.slot).toBe(1);
    expect(found?.at).toBe(10);
    expect(found?.value).toBeCloseTo(3);
    expect(hoverAt(laid, grid([], []), { x: 100, y: 50 })).toBeNull();
  });
  it('finds the hill whose line is nearest', () => {
    const part = grid([0, 10], [0, 1, 1, 0, 0, 4, 4, 0]);
    const overlay = scene(part, 'overlay');
    const x = overlay.value.map(2);
    expect(hoverAt(overlay, part, { x, y: overlay.scene.plot.y.map(3.9) })?.slot).toBe(1);
    expect(hoverAt(overlay, part, { x, y: overlay.scene.plot.y.map(1) })?.slot).toBe(0);
    const offset = scene(part, 'offset');
    expect(hoverAt(offset, part, { x: offset.value.map(0.1), y: offset.time.map(10) })?.at).toBe(10);
  });
  it('knows the slot of a pinned step', () => {
    const part = grid([0, 10, 20], [1, 1, 1]);
    expect([-1, 0, 9, 10, 99].map((at) => slotOf(part, at))).toEqual([-1, 0, 0, 1, 2]);
    expect(stepsOf(part, 0)).toBe('');
    expect(stepsOf({ ...part, slots: { ...part.slots, count: Int32Array.from([3, 1, 1]) } }, 0)).toBe(
      '3 steps, 0 to 0',
    );
  });
});

describe('exact buckets', () => {
  const exact = { step: 7, wall: 0, left: [-Infinity, 0, 1, 1], right: [0, 1, 1, 2], count: [1, 0, 5, 4] };
  it('hold their left edge, and the last one its right', () => {
    expect([-9, 0, 0.5, 1, 2, 3].map((value) => bucketAt(exact, value))).toEqual([0, 1, 1, 3, 3, -1]);
  });
  it('are told with edges, count and share', () => {
    const facts = new Map(bucketFacts(exact, 1.5));
    expect([facts.get('step'), facts.get('left'), facts.get('right')]).toEqual(['7', '1', '2']);
    expect(facts.get('count')).toMatch(/^4 of 10, 40%$/);
    expect(new Map(bucketFacts(exact, -1)).get('left')).toBe('−∞');
    expect(new Map(bucketFacts(exact, 9)).get('bucket')).toBe('none here');
    expect(new Map(bucketFacts({ ...exact, left: [], right: [], count: [] }, 9)).get('bucket')).toContain('empty');
  });
  it('and percentiles from the highest', () => {
    const part: BandsPart = { ...grid([3], [1]), kind: 'bands', shares: [0, 0.5, 1], levels: f64(-1, 2, 9) };
    expect(levelFacts(part, 0, 'step', 3).slice(0, 4)).toEqual([
      ['step', '3'],
      ['100%', '9'],
      ['50%', '2'],
      ['0%', '−1'],
    ]);
    expect(scene(part, 'percentiles').value.domain[0]).toBeLessThan(-1);
  });
});
