// Layers are clipped to the plot area, and the nearest pick wins.
import { describe, expect, it } from 'vitest';
import { inks } from '../style/theme';
import { drawClipped, pick, type Layer, type Plot } from './layer';
import { makeScale } from './scale';
import { SvgPen } from './svg';

const plot: Plot = {
  area: { left: 10, top: 0, right: 90, bottom: 50 },
  x: makeScale('linear', [0, 1], [10, 90]),
  y: makeScale('linear', [0, 1], [50, 0]),
  ink: inks.light,
};
const at = (item: number, px: number): Layer => ({
  draw: (pen) => pen.fillRect(px, 0, 1, 1),
  pick: (x) => ({ item, distance: Math.abs(x - px) }),
});
const decoration: Layer = { draw: (pen) => pen.fillRect(0, 0, 100, 50) };

describe('layers', () => {
  it('draws in order inside the area', () => {
    const pen = new SvgPen(100, 50, () => ({ width: 0 }) as TextMetrics);
    drawClipped(pen, plot, [decoration, at(0, 20)]);
    const text = pen.toString('t');
    expect(text).toContain('d="M7 -3h86v56h-86Z"');
    expect(text.indexOf('width="100" height="50" fill')).toBeLessThan(text.indexOf('x="20"'));
  });
  it('picks the nearest and, of equal ones, the topmost', () => {
    const layers = [at(1, 20), decoration, at(2, 40)];
    expect(pick(layers, plot, 22, 0)?.hit.item).toBe(1);
    expect(pick(layers, plot, 30, 0)?.hit.item).toBe(2);
    expect(pick([decoration], plot, 30, 0)).toBeNull();
  });
});
