// The path leads along its spans, and thinly from one to the next; time without a span, or on another worker, is dashed.
import { describe, expect, it, vi } from 'vitest';
import type { PathPiece } from '$api';
import { drawing, stageOf, trackRow } from '../stage.fixture';
import { LINE } from '../track-rows';
import { pathOverlay, strokesOf } from './path';

const piece = (start_us: number, end_us: number, more: Partial<PathPiece> = {}): PathPiece => ({
  name: 'gemm',
  part: 'compute',
  worker: 'w0',
  row: 1,
  track: 1,
  line: 0,
  start_us,
  end_us,
  ...more,
});
const stage = stageOf([trackRow(1, 0), trackRow(2, 100)]);
const host = LINE - 4;
const device = 100 + LINE - 4;
const path = [
  piece(0, 100, { part: 'op', line: 0 }),
  piece(100, 120, { part: 'between', track: 2, row: 5 }),
  piece(120, 400, { track: 2, row: 5 }),
  piece(400, 500, { part: 'untraced', row: null, track: null, line: null, name: 'untraced' }),
  piece(500, 700, { worker: 'w1', track: null, line: null, row: 9 }),
];

describe('the critical path', () => {
  it('is thick along spans and thin between them', () => {
    expect(strokesOf(path, stage).map(({ kind, x0, y0, x1, y1 }) => [kind, x0, y0, x1, y1])).toEqual([
      ['span', 0, host, 100, host],
      ['jump', 100, host, 120, device],
      ['span', 120, device, 400, device],
      ['away', 400, device, 500, device],
      ['away', 500, device, 700, device],
    ]);
  });

  it('begins at the height of its first span while it is on another worker', () => {
    const later = [piece(0, 100, { worker: 'w1', track: null, line: null }), piece(100, 300, { track: 2, row: 5 })];
    expect(strokesOf(later, stage).map(({ kind, x0, y0 }) => [kind, x0, y0])).toEqual([
      ['away', 0, device],
      ['span', 100, device],
    ]);
  });

  it('does not jump between spans that are a pixel wide', () => {
    const dense = [0, 1, 2, 3].map((place) => piece(place, place + 1, { track: 1 + (place % 2) }));
    expect(strokesOf(dense, stage).map(({ kind }) => kind)).not.toContain('jump');
    expect(strokesOf([...dense, piece(4, 90)], stage).map(({ kind }) => kind)).toContain('jump');
  });

  it('is a line on each track where its spans are too narrow to be seen apart', () => {
    const dense = Array.from({ length: 100 }, (_, place) => piece(place, place + 0.5, { track: 1 + (place % 2) }));
    const far = piece(200, 200.5);
    expect(strokesOf([...dense, far], stage).map(({ x0, y0, x1 }) => [x0, y0, x1])).toEqual([
      [0, host, 98.5],
      [1, device, 99.5],
      [200, host, 200.5],
    ]);
  });

  it('is drawn with a halo first', () => {
    const { pen, paths } = drawing();
    pathOverlay(path, 'w0', vi.fn()).draw(pen, stage);
    expect(paths.length).toBe(5);
    expect(paths[2]).toEqual([
      [0, host],
      [100, host],
      [120, device],
      [400, device],
    ]);
  });

  it('leaves out what is folded away, and stays on the canvas', () => {
    const folded = stageOf([trackRow(2, 100)], { window: [100, 200] });
    expect(strokesOf(path.slice(0, 3), folded).map(({ x0, x1 }) => [x0, x1])).toEqual([[200, 1010]]);
  });

  it('says what no span has, and leads to another worker', () => {
    const other = vi.fn();
    const overlay = pathOverlay(path, 'w0', other);
    expect(overlay.hit?.(450, device, stage)?.tip.text).toContain('100\u202fµs');
    expect(overlay.hit?.(450, device, stage)?.act).toBeNull();
    expect(overlay.hit?.(50, host, stage)).toBeNull();
    overlay.hit?.(600, device, stage)?.act?.();
    expect(other).toHaveBeenCalledWith('w1', 9);
  });
});
