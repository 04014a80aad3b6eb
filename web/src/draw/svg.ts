// A Pen that writes SVG, so that what a chart draws can be saved as a file of its own.
import type { Pen } from './layer';

type Style = CanvasRenderingContext2D['strokeStyle'];

interface State {
  strokeStyle: Style;
  fillStyle: Style;
  lineWidth: number;
  lineJoin: CanvasLineJoin;
  lineCap: CanvasLineCap;
  globalAlpha: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

// Control characters, noncharacters and halves of surrogate pairs.
const FORBIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Text that cannot end its element; characters that XML forbids are replaced, since run names may hold any. */
export function escapeXml(text: string): string {
  return text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"']/g, (c) => escapes[c]);
}

const short = (value: number): string => String(Math.round(value * 100) / 100);
const anchors: Partial<Record<CanvasTextAlign, string>> = { center: 'middle', right: 'end', end: 'end' };
const baselines: Partial<Record<CanvasTextBaseline, string>> = { middle: 'central', top: 'hanging' };

export class SvgPen implements Pen {
  readonly wholeLines = true;
  strokeStyle: Style = '#000';
  fillStyle: Style = '#000';
  lineWidth = 1;
  lineJoin: CanvasLineJoin = 'miter';
  lineCap: CanvasLineCap = 'butt';
  globalAlpha = 1;
  font = '12px sans-serif';
  textAlign: CanvasTextAlign = 'start';
  textBaseline: CanvasTextBaseline = 'alphabetic';

  private readonly parts: string[] = [];
  private readonly saved: { state: State; groups: number; dash: number[] }[] = [];
  private path: string[] = [];
  private dash: number[] = [];
  private groups = 0;
  private clips = 0;

  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly measure: (text: string, font: string) => TextMetrics,
  ) {}

  save(): void {
    const { strokeStyle, fillStyle, lineWidth, lineJoin, lineCap, globalAlpha, font, textAlign, textBaseline } = this;
    const state = { strokeStyle, fillStyle, lineWidth, lineJoin, lineCap, globalAlpha, font, textAlign, textBaseline };
    this.saved.push({ state, groups: this.groups, dash: this.dash });
  }

  restore(): void {
    const last = this.saved.pop();
    if (!last) return;
    for (; this.groups > last.groups; this.groups -= 1) this.parts.push('</g>');
    Object.assign(this, last.state);
    this.dash = last.dash;
  }

  beginPath(): void {
    this.path = [];
  }

  moveTo(x: number, y: number): void {
    this.path.push(`M${short(x)} ${short(y)}`);
  }

  lineTo(x: number, y: number): void {
    this.path.push(`${this.path.length === 0 ? 'M' : 'L'}${short(x)} ${short(y)}`);
  }

  quadraticCurveTo(byX: number, byY: number, x: number, y: number): void {
    this.path.push(`Q${short(byX)} ${short(byY)} ${short(x)} ${short(y)}`);
  }

  closePath(): void {
    this.path.push('Z');
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.path.push(`M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`);
  }

  clip(): void {
    this.clips += 1;
    this.parts.push(`<clipPath id="c${this.clips}"><path d="${this.path.join('')}"/></clipPath>`);
    this.parts.push(`<g clip-path="url(#c${this.clips})">`);
    this.groups += 1;
  }

  stroke(): void {
    if (this.path.length === 0) return;
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.map(short).join(' ')}"` : '';
    this.parts.push(
      `<path d="${this.path.join('')}" fill="none" stroke="${this.paint(this.strokeStyle)}"` +
        ` stroke-width="${short(this.lineWidth)}" stroke-linejoin="${this.lineJoin}"` +
        ` stroke-linecap="${this.lineCap}"${dash}${this.opacity()}/>`,
    );
  }

  fill(): void {
    this.parts.push(`<path d="${this.path.join('')}" fill="${this.paint(this.fillStyle)}"${this.opacity()}/>`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.parts.push(
      `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"` +
        ` fill="${this.paint(this.fillStyle)}"${this.opacity()}/>`,
    );
  }

  fillText(text: string, x: number, y: number): void {
    const anchor = anchors[this.textAlign];
    const baseline = baselines[this.textBaseline];
    this.parts.push(
      `<text x="${short(x)}" y="${short(y)}" fill="${this.paint(this.fillStyle)}" style="font:${escapeXml(this.font)}"` +
        (anchor ? ` text-anchor="${anchor}"` : '') +
        (baseline ? ` dominant-baseline="${baseline}"` : '') +
        `${this.opacity()}>${escapeXml(text)}</text>`,
    );
  }

  measureText(text: string): TextMetrics {
    return this.measure(text, this.font);
  }

  setLineDash(dash: number[]): void {
    this.dash = dash;
  }

  /** The whole file. */
  toString(title: string): string {
    const size = `width="${short(this.width)}" height="${short(this.height)}"`;
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${short(this.width)} ${short(this.height)}"` +
      ` role="img"><title>${escapeXml(title)}</title>${this.parts.join('')}${'</g>'.repeat(this.groups)}</svg>\n`
    );
  }

  private paint(style: Style): string {
    return typeof style === 'string' ? escapeXml(style) : 'none';
  }

  private opacity(): string {
    return this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : '';
  }
}
