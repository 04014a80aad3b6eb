// @vitest-environment happy-dom
// Exported SVG is well-formed whatever the names are, and holds what was drawn.
import { describe, expect, it } from 'vitest';
import { escapeXml, SvgPen } from './svg';

const pen = (): SvgPen => new SvgPen(200, 100, (text) => ({ width: text.length * 6 }) as TextMetrics);

describe('SvgPen', () => {
  it('writes lines with their colour, width, dash and opacity', () => {
    const p = pen();
    p.strokeStyle = '#ff0000';
    p.lineWidth = 1.5;
    p.globalAlpha = 0.25;
    p.setLineDash([4, 2]);
    p.beginPath();
    p.moveTo(1, 2);
    p.lineTo(3.14159, 4);
    p.stroke();
    const text = p.toString('t');
    expect(text).toContain('d="M1 2L3.14 4"');
    expect(text).toContain('stroke="#ff0000" stroke-width="1.5"');
    expect(text).toContain('stroke-dasharray="4 2" opacity="0.25"');
  });
  it('writes curves', () => {
    const p = pen();
    p.beginPath();
    p.moveTo(0, 0);
    p.quadraticCurveTo(5, 0, 5, 5.123);
    p.stroke();
    expect(p.toString('t')).toContain('d="M0 0Q5 0 5 5.12"');
  });
  it('closes clip groups on restore and puts the state back', () => {
    const p = pen();
    p.save();
    p.fillStyle = '#123456';
    p.beginPath();
    p.rect(0, 0, 10, 10);
    p.clip();
    p.fillRect(0, 0, 5, 5);
    p.restore();
    p.fillRect(1, 1, 2, 2);
    const text = p.toString('t');
    expect(text.match(/<g /g)).toHaveLength(1);
    expect(text.match(/<\/g>/g)).toHaveLength(1);
    expect(text.indexOf('</g>')).toBeLessThan(text.indexOf('width="2"'));
    expect(text).toContain('width="2" height="2" fill="#000"');
  });
  it('is well-formed with hostile names', () => {
    const p = pen();
    p.fillText('</text><script>alert(1)</script>\u0000\ud800', 1, 2);
    const text = p.toString('<b>&"');
    expect(text).not.toContain('<script');
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
    expect(parsed.getElementsByTagName('script')).toHaveLength(0);
    expect(parsed.getElementsByTagName('text')[0].textContent).toBe('</text><script>alert(1)</script>\ufffd\ufffd');
  });
  it('keeps whole emoji', () => expect(escapeXml('🙂 a')).toBe('🙂 a'));
});
