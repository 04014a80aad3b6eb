// Scales map both ways, refuse what they cannot show, and give four to six round ticks with labels that agree.
import { describe, expect, it } from 'vitest';
import { makeScale, shifted, zoomed, type Interval, type ScaleKind } from './scale';
import { labelledTicks } from './ticks';

const labels = (kind: ScaleKind, domain: Interval, count = 5): string[] =>
  labelledTicks(makeScale(kind, domain, [0, 500]), count).map((tick) => tick.label);
const local = (...parts: [number, number, number, number, number, number]): number =>
  new Date(...parts).getTime() / 1000;

describe('map and invert', () => {
  it.each<[ScaleKind, Interval]>([
    ['linear', [-3, 9]],
    ['log', [1e-6, 1e3]],
    ['symlog', [-50, 1e4]],
    ['wall', [1794770000, 1794790000]],
    ['duration', [0, 5000]],
  ])('%s goes there and back', (kind, domain) => {
    const scale = makeScale(kind, domain, [300, 20]);
    expect(scale.map(domain[0])).toBeCloseTo(300, 9);
    expect(scale.map(domain[1])).toBeCloseTo(20, 9);
    for (const pixel of [20, 77.5, 160, 299]) expect(scale.map(scale.invert(pixel))).toBeCloseTo(pixel, 6);
  });
  it('says NaN for what a logarithmic scale cannot show', () => {
    const scale = makeScale('log', [1, 100], [0, 100]);
    expect(scale.map(0)).toBeNaN();
    expect(scale.map(-1)).toBeNaN();
  });
  it.each<[ScaleKind, Interval]>([
    ['linear', [5, 5]],
    ['linear', [0, 0]],
    ['linear', [NaN, Infinity]],
    ['linear', [1e300, 1e300]],
    ['linear', [-Infinity, Infinity]],
    ['linear', [-1.7e308, 1.7e308]],
    ['log', [5e-324, 1.7e308]],
    ['symlog', [-1.7e308, 1.7e308]],
    ['wall', [1e18, 2e18]],
    ['wall', [-1e13, 1e13]],
    ['duration', [0, 1e30]],
    ['duration', [1e18, 1e18]],
    ['log', [-5, 0]],
    ['log', [0, 10]],
    ['log', [3, 3]],
  ])('%s %j still maps to pixels', (kind, domain) => {
    const scale = makeScale(kind, domain, [0, 100]);
    const middle = scale.map(scale.invert(50));
    expect(middle).toBeCloseTo(50, 3);
    expect(labelledTicks(scale, 5).length).toBeLessThan(40);
    expect(scale.domain[1]).toBeGreaterThan(scale.domain[0]);
  });
});

describe('zoom and shift', () => {
  it('keeps the centre where it was', () => {
    const scale = makeScale('log', [1, 10000], [0, 400]);
    const [low, high] = zoomed(scale, 0.5, 100);
    expect(low).toBeCloseTo(10, 9);
    expect(high).toBeCloseTo(1000, 6);
  });
  it('moves by a share', () => {
    const moved = shifted(makeScale('linear', [0, 10], [0, 1]), 0.1);
    expect(moved).toEqual([1, 11]);
  });
});

describe('labels', () => {
  it.each<[ScaleKind, Interval, string[]]>([
    ['linear', [0, 48000], ['0', '10k', '20k', '30k', '40k']],
    ['linear', [0, 1], ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0'].map((t) => (t === '0.0' ? '0' : t))],
    ['linear', [-2, 2], ['−2', '−1', '0', '1', '2']],
    ['linear', [0, 5e-5], ['0', '1e−5', '2e−5', '3e−5', '4e−5', '5e−5']],
    ['linear', [0, 2.4e6], ['0', '0.5M', '1.0M', '1.5M', '2.0M']],
    ['linear', [1000, 1010], ['1000', '1002', '1004', '1006', '1008', '1010']],
    ['log', [1e-5, 1e3], ['1e−4', '0.01', '1', '100']],
    ['log', [1, 30], ['1', '2', '5', '10', '20']],
    ['duration', [0, 100], ['0', '15s', '30s', '45s', '1m', '1m 15s', '1m 30s']],
    ['duration', [0, 7000], ['0', '30m', '1h', '1h 30m']],
    ['duration', [0, 300000], ['0', '12h', '1d', '1d 12h', '2d', '2d 12h', '3d']],
    ['duration', [0, 0.5], ['0', '0.1s', '0.2s', '0.3s', '0.4s', '0.5s']],
  ])('%s %j', (kind, domain, expected) => expect(labels(kind, domain)).toEqual(expected));

  it('writes wall times as clock times, and days at midnight', () => {
    const evening = labels('wall', [local(2026, 10, 15, 20, 0, 0), local(2026, 10, 16, 4, 0, 0)], 4);
    expect(evening).toContain('Nov 16');
    expect(evening.filter((text) => /^\d\d:\d\d$/.test(text)).length).toBeGreaterThanOrEqual(2);
    expect(labels('wall', [local(2026, 10, 15, 20, 0, 0), local(2026, 10, 15, 20, 0, 50)])).toContain('20:00:15');
    expect(labels('wall', [local(2026, 8, 20, 0, 0, 0), local(2027, 4, 1, 0, 0, 0)])).toContain('2027');
  });

  it('writes parts of a second as seconds of their minute', () => {
    const start = local(2026, 10, 15, 20, 0, 5);
    expect(labels('wall', [start + 0.1, start + 0.62])).toEqual(['5.1s', '5.2s', '5.3s', '5.4s', '5.5s', '5.6s']);
    expect(labels('wall', [start + 54.7, start + 55.3], 3)).toEqual(['59.8s', '20:01', '0.2s']);
    const fine = labels('wall', [start, start + 0.0005]);
    expect(new Set(fine).size).toBe(fine.length);
    expect(fine.length).toBeGreaterThanOrEqual(4);
  });

  it('never has two equal labels on one axis, at any zoom', () => {
    for (let exponent = -9; exponent <= 12; exponent += 1) {
      for (const [low, high] of [
        [0, 1],
        [0.97, 1.03],
        [-4, 7],
        [1, 1.001],
      ]) {
        const texts = labels('linear', [low * 10 ** exponent, high * 10 ** exponent]);
        expect(new Set(texts).size, texts.join()).toBe(texts.length);
        expect(texts.length).toBeGreaterThanOrEqual(3);
      }
    }
  });
});
