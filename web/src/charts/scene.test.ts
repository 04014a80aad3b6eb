// @vitest-environment happy-dom
// A chart drawn as SVG holds its axes, lines, bands, marks, labels and notes.
import { describe, expect, it } from 'vitest';
import { inks } from '../style/theme';
import { chartToSVG } from './export';
import { curveOf, optionsOf } from './fixture';
import { rasterCurves } from './lines';
import { buildScene } from './scene';
import type { ChartOptions, Curve } from './types';

const size = { width: 480, height: 260 };
const scene = (curves: Curve[], more: Partial<ChartOptions> = {}) =>
  buildScene(curves, optionsOf(more), size, inks.light);
const svg = (curves: Curve[], more: Partial<ChartOptions> = {}) =>
  chartToSVG(curves, optionsOf(more), 480, 260, inks.light, 'loss');
const lines = (text: string, colour = '#d5792e', width = '1.5'): RegExpMatchArray[] => [
  ...text.matchAll(new RegExp(`<path d="([^"]*)" fill="none" stroke="${colour}" stroke-width="${width}"[^>]*>`, 'g')),
];

describe('buildScene', () => {
  it('keeps the plot inside the card with four to six ticks', () => {
    const { plot, xTicks, yTicks } = scene([curveOf([3, 1, 2, 5])]);
    expect(plot.area.left).toBeGreaterThanOrEqual(32);
    expect(plot.area.right).toBeLessThanOrEqual(480);
    expect(plot.area.bottom).toBeLessThan(260);
    for (const ticks of [xTicks, yTicks]) {
      expect(ticks.length).toBeGreaterThanOrEqual(4);
      expect(ticks.length).toBeLessThanOrEqual(7);
    }
  });
  it('labels five lines or fewer', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => curveOf([i, i], { label: `run ${i}` }));
    expect(scene(many(5), { directLabels: true }).labels).toHaveLength(5);
    expect(scene(many(6), { directLabels: true }).labels).toHaveLength(0);
    expect(scene(many(2), { directLabels: false }).labels).toHaveLength(0);
  });
  it('says what it leaves out', () => {
    const notes = scene([curveOf([1, 50, -50, 2])], { yRange: [0, 10] }).notes.map((note) => note.text);
    expect(notes).toEqual(['▲ 1 value outside', '▼ 1 value outside']);
    expect(scene([curveOf([0, 0, 1, 2])], { logY: true }).notes[0].text).toMatch(/^2 values ≤ 0 .*log axis/);
  });
  it('names the day when all ticks are clock times, and the minute when they are seconds', () => {
    const start = new Date(2026, 10, 15, 10, 0, 0).getTime() / 1000;
    const x = Float64Array.of(start, start + 7200);
    const built = scene([curveOf([1, 2], { x, xExtent: [x[0], x[1]] })], { xAxis: 'wall', xLabel: 'wall time' });
    expect(built.xLabel).toBe('wall time, 2026-11-15');
    const short = { x: Float64Array.of(start, start + 0.4), xExtent: [start, start + 0.4] as [number, number] };
    expect(scene([curveOf([1, 2], short)], { xAxis: 'wall' }).xLabel).toBe('2026-11-15 10:00');
  });
  it('has ticks at whole steps only', () => {
    const labels = scene([curveOf([5])]).xTicks.map((tick) => tick.label);
    expect(labels).toEqual(['−1', '0', '1']);
    expect(scene([curveOf([5, 6])], { xAxis: 'tag' }).xTicks.map((tick) => tick.label)).toContain('0.4');
  });
  it('draws no axes when there is nothing to show', () => expect(scene([]).xTicks).toEqual([]));
});

describe('drawing', () => {
  it('draws one line through all points', () => {
    const [line] = lines(svg([curveOf([1, 2, 3, 4])]));
    expect(line[1].match(/[ML]/g)).toEqual(['M', 'L', 'L', 'L']);
  });
  it('breaks the line between segments and where a value is missing', () => {
    const restarted = curveOf([1, 2, 3, 4], { segment: Int32Array.of(0, 0, 1, 1) });
    expect(lines(svg([restarted]))).toHaveLength(2);
    const [gap] = lines(svg([curveOf([1, 2, NaN, 3, 4])]));
    expect(gap[1].match(/[ML]/g)).toEqual(['M', 'L', 'M', 'L']);
  });
  it('fades older segments when they are split', () => {
    const split = curveOf([1, 2, 3, 4], { segment: Int32Array.of(0, 0, 1, 1), splitSegments: true });
    const opacities = lines(svg([split])).map(([all]) => /opacity="([^"]*)"/.exec(all)?.[1] ?? '1');
    expect(opacities).toEqual(['0.45', '1']);
  });
  it('keeps raw points faint behind the smoothed line', () => {
    const base = curveOf([1, 5, 1, 5]);
    const found = lines(
      svg([{ ...base, smooth: { x: base.x, y: Float64Array.of(1, 2, 2, 3), segment: base.segment } }]),
      base.colour,
      '(?:1|1.5)',
    );
    expect(found.map(([all]) => all.includes('opacity="0.28"'))).toEqual([true, false]);
  });
  it('makes a dot of a single point', () => {
    expect(svg([curveOf([1])])).toMatch(/stroke-width="4.5" stroke-linejoin="bevel" stroke-linecap="round"/);
  });
  it('draws dashed lines above solid ones', () => {
    const found = lines(svg([curveOf([1, 2], { dash: 'dashed' }), curveOf([2, 1])]));
    expect(found.map(([all]) => all.includes('stroke-dasharray'))).toEqual([false, true]);
  });
  it('draws many curves as hairlines', () => {
    const many = Array.from({ length: 13 }, (_, i) => curveOf([i, i]));
    expect(lines(svg(many))).toHaveLength(0);
    expect(lines(svg(many.slice(1)))).toHaveLength(12);
  });
  it('fills bands, dashes lines and marks what is not finite', () => {
    const x = Float64Array.of(0, 1);
    const band = { x, low: Float64Array.of(0, 0), high: Float64Array.of(2, 2) };
    const marks = { x: Float64Array.of(0.5, 0.6), kind: Uint8Array.of(1, 2) };
    const text = svg([curveOf([1, 1], { band, marks, dash: 'dashed' })]);
    expect(text).toContain('fill="#d5792e" opacity="0.16"');
    expect(text).toContain('stroke-dasharray="6 4"');
    expect(text.match(/stroke-width="1.25"/g)).toHaveLength(2);
  });
  it('exports title, axis names and legend, whatever the names are', () => {
    const text = svg([curveOf([1, 2], { label: '<img src=x onerror=alert(1)>' })]);
    expect(text).toContain('<title>loss</title>');
    expect(text).toContain('>step</text>');
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(text).not.toContain('<img');
  });
  it('counts the names it has no room for', () => {
    const many = Array.from({ length: 55 }, (_, i) => curveOf([i, i], { label: `r${i}` }));
    expect(svg(many)).toContain('>and 15 more</text>');
  });
});

describe('rasterCurves', () => {
  it('draws every curve with its own number', () => {
    const curves = Array.from({ length: 400 }, (_, i) => curveOf([i, i]));
    const { plot } = scene(curves);
    const { ids, width } = rasterCurves(curves, plot, 2);
    expect(width).toBe(Math.round((plot.area.right - plot.area.left) * 2));
    const at = (index: number): number =>
      ids[Math.round((plot.y.map(index) - plot.area.top) * 2) * width + Math.round(width / 2)];
    expect([at(0), at(200), at(399)]).toEqual([1, 201, 400]);
  });
});
