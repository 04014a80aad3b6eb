// Every span is painted where it belongs, at least a pixel wide, and what is under the pointer is what was painted there.
import { describe, expect, it } from 'vitest';
import { fit, NO_GROUP, Palette, Strips, type Look } from './paint';
import type { Tiles, TrackTile } from './tiles';
import { LINE, type TrackRow } from './track-rows';

const tile = (
  spans: [start: number, end: number, line: number, group: number, name: string, count?: number][],
): TrackTile => {
  const names = [...new Set(spans.map(([, , , , name]) => name))];
  return {
    start: Float64Array.from(spans, ([start]) => start),
    end: Float64Array.from(spans, ([, end]) => end),
    row: Int32Array.from(spans, (_, place) => 100 + place),
    name: Int32Array.from(spans, ([, , , , name]) => names.indexOf(name)),
    line: Uint8Array.from(spans, ([, , line]) => line),
    group: Uint8Array.from(spans, ([, , , group]) => group),
    count: Int32Array.from(spans, ([, , , , , count]) => count ?? 1),
    names,
    shades: Uint8Array.from(names, () => 0),
  };
};

const row = (id: number, lines: number, y: number): TrackRow =>
  ({
    kind: 'track',
    key: `t:${id}`,
    track: { id },
    pinned: false,
    folded: false,
    lines,
    more: 0,
    y,
    height: 0,
  }) as unknown as TrackRow;

/** Tiles of which one covers everything. */
const given = (found: Record<number, TrackTile>): Tiles =>
  ({
    has: () => true,
    find: (_: unknown, track: number) =>
      found[track] === undefined ? [] : [{ place: { level: 0, index: 0 }, kept: { spans: found[track], entries: 1 } }],
  }) as unknown as Tiles;

const look = (more: Partial<Look> = {}): Look => ({
  window: [0, 1000],
  width: 1000,
  ratio: 1,
  level: 0,
  palette: new Palette('light'),
  bright: null,
  ...more,
});

describe('painted spans', () => {
  const spans = tile([
    [100, 400, 0, 0, 'forward'],
    [150, 150.2, 1, 4, 'tiny'],
    [200, 300, 1, 4, 'inner', 12],
  ]);
  const strips = new Strips();
  strips.paint([row(7, 2, 26)], given({ 7: spans }), look());

  it('are found under the pointer, with what they stand for', () => {
    expect(strips.pick(250, 26 + 3)).toEqual({
      row: 100,
      track: 7,
      line: 0,
      name: 'forward',
      group: 0,
      start: 100,
      end: 400,
      count: 1,
    });
    expect(strips.pick(250, 26 + LINE + 3)).toMatchObject({ row: 102, line: 1, name: 'inner', count: 12 });
  });

  it('are at least a pixel wide, and can be hit a little beside it', () => {
    expect(strips.pick(150, 26 + LINE + 3)).toMatchObject({ name: 'tiny' });
    expect(strips.pick(152, 26 + LINE + 3)).toMatchObject({ name: 'tiny' });
    expect(strips.pick(160, 26 + LINE + 3)).toBeNull();
  });

  it('are nowhere else', () => {
    expect(strips.pick(50, 26 + 3)).toBeNull();
    expect(strips.pick(250, 10)).toBeNull();
    expect(strips.pick(250, 26 + 2 * LINE + 3)).toBeNull();
  });

  it('move with the window', () => {
    const closer = new Strips();
    closer.paint([row(7, 2, 0)], given({ 7: spans }), look({ window: [140, 160] }));
    expect(closer.pick(505, LINE + 3)).toMatchObject({ name: 'tiny' });
    expect(closer.pick(900, LINE + 3)).toBeNull();
    expect(closer.pick(900, 3)).toMatchObject({ name: 'forward' });
  });

  it('of deeper lines than the row has are left out', () => {
    const folded = new Strips();
    folded.paint([row(7, 1, 0)], given({ 7: spans }), look());
    expect(folded.pick(250, 3)).toMatchObject({ name: 'forward' });
    expect(folded.pick(250, LINE + 3)).toBeNull();
  });

  it('are walked along and across', () => {
    expect(strips.neighbour(7, 1, 150, true)).toMatchObject({ name: 'inner' });
    expect(strips.neighbour(7, 1, 200, false)).toMatchObject({ name: 'tiny' });
    expect(strips.neighbour(7, 1, 200, true)).toBeNull();
    expect(strips.at(7, 0, 250)).toMatchObject({ name: 'forward' });
    expect(strips.at(7, 1, 900)).toMatchObject({ name: 'inner' });
    expect(strips.at(8, 0, 250)).toBeNull();
  });
});

describe('a tile that stands in', () => {
  it('says that it is not all', () => {
    const missing = { has: () => false, find: () => [] } as unknown as Tiles;
    expect(new Strips().paint([row(1, 1, 0)], missing, look())).toBe(false);
    expect(new Strips().paint([row(1, 1, 0)], given({}), look())).toBe(true);
  });
});

describe('the palette', () => {
  it('has a colour of its own for each group and shade, in both themes', () => {
    for (const theme of ['light', 'dark'] as const) {
      const palette = new Palette(theme);
      expect(new Set(palette.packed).size).toBe((NO_GROUP + 1) * 4);
      expect(palette.index(99, 1)).toBe(NO_GROUP * 4 + 1);
    }
  });
});

describe('names on spans', () => {
  it('are cut to the room there is', () => {
    expect(fit('matmul', 100)).toBe('matmul');
    expect(fit('a_very_long_kernel_name', 61)).toBe('a_very_lo…');
    expect(fit('matmul', 5)).toBe('');
  });
});
