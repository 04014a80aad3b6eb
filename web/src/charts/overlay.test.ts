// @vitest-environment happy-dom
// What follows the pointer is drawn where it is: the cursor, the selection, dots, the bright line and the dragged box.
import { describe, expect, it } from 'vitest';
import { SvgPen } from '../draw/svg';
import { inks } from '../style/theme';
import { curveOf, optionsOf } from './fixture';
import { drawOverlay, type Overlay } from './overlay';
import { buildScene } from './scene';

const NOTHING: Overlay = { x: null, bright: null, solid: false, dots: [], selected: null, box: null };
const scene = buildScene(
  [curveOf([0, 10, 20, 30, 40])],
  optionsOf({ yRange: [0, 40] }),
  { width: 480, height: 260 },
  inks.light,
);
const { area, x, y, ink } = scene.plot;

function drawn(overlay: Partial<Overlay>): string {
  const pen = new SvgPen(480, 260, (text) => ({ width: 6 * text.length }) as TextMetrics);
  drawOverlay(pen, scene, { ...NOTHING, ...overlay });
  return pen.toString('overlay');
}
const vertical = (value: number): string => {
  const at = Math.round(x.map(value)) + 0.5;
  return `M${at} ${area.top}L${at} ${area.bottom}`;
};
const squeezed = (svg: string): string => svg.replace(/(?<=[\dML]) +(?=[ML])/g, '');

describe('an overlay', () => {
  it('is empty when nothing is under the pointer', () => {
    const empty = drawn({});
    for (const colour of [ink.cursor, ink.selection]) expect(empty).not.toContain(`stroke="${colour}"`);
  });

  it('has the cursor as a dashed line', () => {
    const svg = squeezed(drawn({ x: 2 }));
    expect(svg).toContain(vertical(2));
    expect(svg).toMatch(new RegExp(`stroke="${ink.cursor}"[^>]*stroke-dasharray="3[, ]3"`));
  });

  it('has one line for a pinned step, and a filled span between two', () => {
    const one = squeezed(drawn({ selected: 1 }));
    expect(one).toContain(vertical(1));
    expect(one).not.toContain('<rect x');
    const span = squeezed(drawn({ selected: [1, 3] }));
    for (const end of [1, 3]) expect(span).toContain(vertical(end));
    expect(span).toContain(`fill="${ink.selection}"`);
  });

  it('rings each dot in the colour of the panel, and leaves out what is nowhere', () => {
    const svg = drawn({
      dots: [
        { x: 2, y: 20, colour: '#123456' },
        { x: 2, y: NaN, colour: '#654321' },
      ],
    });
    expect(svg).toContain('stroke="#123456"');
    expect(svg).not.toContain('#654321');
    const ring = svg.indexOf(`stroke="${ink.panel}"`);
    expect(ring).toBeGreaterThan(-1);
    expect(ring).toBeLessThan(svg.indexOf('stroke="#123456"'));
    expect(svg).toContain(`M${Math.round(100 * x.map(2)) / 100} ${Math.round(100 * y.map(20)) / 100}`);
  });

  it('draws the bright line, without dashes where the others have none', () => {
    const bright = curveOf([0, 40], { colour: '#abcdef', dash: 'dashed' });
    expect(drawn({ bright })).toMatch(/stroke="#abcdef"[^>]*stroke-dasharray/);
    expect(drawn({ bright, solid: true })).not.toMatch(/stroke="#abcdef"[^>]*stroke-dasharray/);
  });

  it('fills the box that is dragged', () => {
    expect(drawn({ box: { left: 100, top: 50, right: 150, bottom: 90 } })).toMatch(/100[^>]*50[^>]*50[^>]*40/);
  });
});
