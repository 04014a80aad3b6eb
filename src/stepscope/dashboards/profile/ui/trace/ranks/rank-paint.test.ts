// A column of a row is as high as the shares of its groups, hatched above them, and empty outside of the profile.
import { describe, expect, it } from 'vitest';
import { COLUMNS } from '../tiles';
import { LINES, RankPicture, sharesIn, stackColours } from './rank-paint';
import type { RankPlace, RankTiles, Shares } from './rank-tiles';

/** Compute in the first half of the tile and half communication in the second. */
const SHARES: Shares = [
  Uint8Array.from({ length: COLUMNS }, (_, column) => (column < COLUMNS / 2 ? 255 : 0)),
  Uint8Array.from({ length: COLUMNS }, (_, column) => (column < COLUMNS / 2 ? 0 : 128)),
  new Uint8Array(COLUMNS),
  new Uint8Array(COLUMNS),
  new Uint8Array(COLUMNS),
];
const tiles = {
  find: (place: RankPlace) => (place.index === 0 ? { place: { level: 0, index: 0 }, shares: SHARES } : null),
} as unknown as RankTiles;

describe('a row', () => {
  const width = 8;
  const pixels = new RankPicture().paint(
    [{ worker: 'rank_0', window: [0, COLUMNS], end: 0.875 * COLUMNS }],
    tiles,
    0,
    width,
    'light',
  );
  const { owners, hatch, ground } = stackColours('light');
  const column = (x: number): number[] => Array.from({ length: LINES }, (_, line) => pixels[line * width + x] ?? -1);

  it('is full where one group has all the time', () => {
    expect(new Set(column(0))).toEqual(new Set([owners[0]]));
  });

  it('is stacked from below where groups share it, and hatched above', () => {
    const found = column(5);
    expect(found.slice(LINES / 2)).toEqual(new Array(LINES / 2).fill(owners[1]));
    expect(new Set(found.slice(0, LINES / 2))).toEqual(new Set([hatch, ground]));
  });

  it('is empty after the end of the profile', () => {
    expect(new Set(column(7))).toEqual(new Set([0]));
  });
});

describe('shares of a stretch', () => {
  it('are means over its columns, and what is left is untraced', () => {
    const shares = sharesIn(tiles, 'rank_0', 0, [0, COLUMNS]) ?? [];
    expect(shares.map((share) => Math.round(100 * share))).toEqual([50, 25, 0, 0, 0, 25]);
  });

  it('are unknown where no tile is', () => {
    expect(sharesIn(tiles, 'rank_0', 0, [COLUMNS, 2 * COLUMNS])).toBeNull();
  });
});
