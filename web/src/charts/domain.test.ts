// What is shown and what is left out is computed and counted, never dropped in silence.
import { describe, expect, it } from 'vitest';
import { pointsOffLogX, xDomain, yShown } from './domain';
import { curveOf, optionsOf } from './fixture';

describe('xDomain', () => {
  it('covers all curves', () => {
    const curves = [curveOf([1, 2, 3]), curveOf([1, 2], { x: Float64Array.of(5, 9), xExtent: [5, 9] })];
    expect(xDomain(curves, optionsOf())).toEqual([0, 9]);
  });
  it('starts a log axis at the first positive x', () => {
    expect(xDomain([curveOf([1, 2, 3, 4])], optionsOf({ logX: true }))).toEqual([1, 3]);
  });
  it('never makes wall time logarithmic', () => {
    expect(xDomain([curveOf([1, 2, 3])], optionsOf({ logX: true, xAxis: 'wall' }))).toEqual([0, 2]);
  });
  it('keeps a fixed range', () => {
    expect(xDomain([curveOf([1, 2])], optionsOf({ xRange: [4, 5] }))).toEqual([4, 5]);
  });
  it('has a range even without points', () => expect(xDomain([], optionsOf())).toEqual([0, 1]));
});

describe('yShown', () => {
  const x = [0, 100] as const;
  it('pads the data', () => {
    const { domain, above, below } = yShown([curveOf([0, 10])], optionsOf(), x);
    expect(domain).toEqual([-0.5, 10.5]);
    expect([above, below]).toEqual([0, 0]);
  });
  it('looks only at x in view', () => {
    expect(yShown([curveOf([1000, 1, 2, 1000])], optionsOf(), [1, 2]).domain[1]).toBeLessThan(3);
  });
  it('still shows a line that only crosses the view', () => {
    const { domain } = yShown([curveOf([0, 10])], optionsOf(), [0.4, 0.6]);
    expect(domain).toEqual([-0.5, 10.5]);
  });
  it('cuts far outliers on their side only and counts them', () => {
    const curve = curveOf([0, 1, 0.5, 900, 800, 0.2], { yInner: [0, 1] });
    const shown = yShown([curve], optionsOf({ ignoreOutliers: true }), x);
    expect(shown.domain[1]).toBeLessThan(2);
    expect(shown.domain[0]).toBeLessThanOrEqual(0);
    expect([shown.above, shown.below]).toEqual([2, 0]);
  });
  const steady = (count: number) =>
    Array.from({ length: count }, () => curveOf([0, 0.5, 1], { yInner: [0, 1], weight: 3 }));
  it('does not let one diverged run of thirty flatten the others', () => {
    const diverged = curveOf([1, 500, 1000], { yInner: [1, 1000], weight: 3 });
    const shown = yShown([...steady(29), diverged], optionsOf({ ignoreOutliers: true }), x);
    expect(shown.domain[1]).toBeLessThan(2);
    expect(shown.above).toBe(2);
  });
  it('counts points, not curves: a run of most points is no outlier', () => {
    const long = curveOf([1, 500, 1000], { yInner: [1, 1000], weight: 3000 });
    expect(yShown([...steady(29), long], optionsOf({ ignoreOutliers: true }), x).domain[1]).toBeGreaterThan(1000);
  });
  it('shows a spike to whoever has zoomed in on it, but no run that is far away as a whole', () => {
    const spike = curveOf([0, 1, 900, 1, 0], { yInner: [0, 1], weight: 5 });
    const zoomed = optionsOf({ ignoreOutliers: true, xRange: [0, 4] });
    expect(yShown([spike], optionsOf({ ignoreOutliers: true }), x).domain[1]).toBeLessThan(2);
    expect(yShown([spike], zoomed, [0, 4]).domain[1]).toBeGreaterThan(900);
    const diverged = curveOf([9e5, 9e5, 9e5], { yInner: [9e5, 9e5], weight: 3 });
    const { domain, above } = yShown([...steady(29), spike, diverged], zoomed, [0, 4]);
    expect(domain[1]).toBeGreaterThan(900);
    expect(domain[1]).toBeLessThan(1000);
    expect(above).toBe(3);
  });
  it('says when more may be outside than was drawn', () => {
    const few = curveOf([0, 1, 0.5, 900], { yInner: [0, 1], weight: 4 });
    expect(yShown([few], optionsOf({ ignoreOutliers: true }), x).reduced).toBe(false);
    expect(yShown([{ ...few, weight: 4000 }], optionsOf({ ignoreOutliers: true }), x).reduced).toBe(true);
  });
  it('keeps values that are only somewhat large', () => {
    const curve = curveOf([0, 1, 2.5], { yInner: [0, 1] });
    expect(yShown([curve], optionsOf({ ignoreOutliers: true }), x).domain[1]).toBeGreaterThan(2.5);
  });
  it('counts what a log axis cannot show, on both axes', () => {
    const shown = yShown([curveOf([5, 0, -1, 10])], optionsOf({ logY: true }), x);
    expect(shown.notPositive).toBe(2);
    expect(shown.domain[0]).toBeGreaterThan(4);
    const curves = [curveOf([5, 6]), curveOf([6, 7], { x: Float64Array.of(1, 2), offLogX: 2 })];
    expect(pointsOffLogX(curves, optionsOf({ logX: true }))).toBe(3);
    expect(pointsOffLogX(curves, optionsOf())).toBe(0);
    expect(pointsOffLogX(curves, optionsOf({ logX: true, xAxis: 'wall' }))).toBe(0);
  });
  it('counts what a fixed range hides', () => {
    const { above, below } = yShown([curveOf([-5, 0, 5, 6])], optionsOf({ yRange: [-1, 1] }), x);
    expect([above, below]).toEqual([2, 1]);
  });
  it('includes bands and the smoothed line', () => {
    const xs = Float64Array.of(0, 1);
    const band = { x: xs, low: Float64Array.of(-4, 0), high: Float64Array.of(2, 8) };
    expect(yShown([curveOf([1, 1], { band })], optionsOf(), x).domain).toEqual([-4.6, 8.6]);
  });
  it('gives a constant curve room', () => {
    const { domain } = yShown([curveOf([3, 3])], optionsOf(), x);
    expect(domain[0]).toBeLessThan(3);
    expect(domain[1]).toBeGreaterThan(3);
  });
});
