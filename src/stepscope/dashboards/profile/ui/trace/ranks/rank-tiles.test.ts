// Ranks are asked for in small questions, each rank of a tile once, and a rank that cannot be read is not asked for again.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { batches, RankTiles, type RankPlace } from './rank-tiles';

const asked: string[][] = [];
let answer: (workers: string[]) => object;

function frame(header: object): ArrayBuffer {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const start = Math.ceil((4 + json.length) / 8) * 8;
  const out = new Uint8Array(start + 8);
  new DataView(out.buffer).setUint32(0, json.length, true);
  out.set(json, 4);
  return out.buffer;
}

const column = { dtype: 'u8', offset: 0, count: 4 };
const columns = { compute: column, communication: column, copy: column, input_wait: column, host: column };
const READING = { files_done: 0, files: 1, bytes_done: 0, bytes: 1, analysing: false, seconds: 1 };

beforeEach(() => {
  asked.length = 0;
  answer = (workers) => ({
    epoch: 1,
    reading: null,
    ranks: workers.map((worker) => ({ worker, columns })),
    problems: [],
  });
  vi.stubGlobal('document', { baseURI: 'http://localhost/' });
  vi.stubGlobal('fetch', (address: string) => {
    const workers = (new URL(address).searchParams.get('workers') ?? '').split('\n');
    asked.push(workers);
    return Promise.resolve({ ok: true, arrayBuffer: () => Promise.resolve(frame(answer(workers))) });
  });
});
afterEach(() => vi.unstubAllGlobals());

const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 5));
const places = (count: number, level = 3, index = 0): RankPlace[] =>
  Array.from({ length: count }, (_, place) => ({ worker: `rank_${place}`, level, index }));

describe('questions', () => {
  it('have ranks of one tile and not too many', () => {
    const found = batches([...places(20), ...places(3, 3, 1)]);
    expect(found.map((batch) => batch.length)).toEqual([16, 4, 3]);
    expect(new Set(found[2]?.map(({ index }) => index))).toEqual(new Set([1]));
  });
});

describe('tiles of ranks', () => {
  it('are asked for once and then there', async () => {
    const tiles = new RankTiles({ session: 's', steps: '' }, () => undefined);
    expect(tiles.want(places(20))).toBe(false);
    expect(tiles.want(places(20))).toBe(false);
    await settled();
    expect(tiles.want(places(20))).toBe(true);
    expect(asked.map((workers) => workers.length)).toEqual([16, 4]);
  });

  it('around those on screen follow when these are there, and are not dropped by another drawing', async () => {
    const tiles = new RankTiles({ session: 's', steps: '' }, () => undefined);
    const [seen, beside] = [places(2), places(2, 3, 1)];
    tiles.want(seen, beside);
    expect(asked.length).toBe(1);
    await settled();
    expect(tiles.want(seen, beside)).toBe(true);
    expect(tiles.want(seen, beside)).toBe(true);
    await settled();
    tiles.want(seen, beside);
    expect(asked.length).toBe(2);
  });

  it('of a finer level show coarser ones until they are there', async () => {
    const tiles = new RankTiles({ session: 's', steps: '' }, () => undefined);
    tiles.want(places(1, 3, 1));
    await settled();
    expect(tiles.find({ worker: 'rank_0', level: 1, index: 6 })?.place).toMatchObject({ level: 3, index: 1 });
    expect(tiles.find({ worker: 'rank_0', level: 1, index: 9 })).toBeNull();
  });

  it('that are still read are asked for again', async () => {
    const tiles = new RankTiles({ session: 's', steps: '' }, () => undefined);
    answer = (workers) => ({
      epoch: 1,
      reading: READING,
      ranks: workers.slice(0, 1).map((worker) => ({ worker, columns })),
      problems: [],
    });
    tiles.want(places(3));
    await settled();
    expect(tiles.reading).toEqual(READING);
    tiles.want(places(3));
    expect(asked).toEqual([
      ['rank_0', 'rank_1', 'rank_2'],
      ['rank_1', 'rank_2'],
    ]);
  });

  it('of a rank that cannot be read say why and are not asked for again', async () => {
    const tiles = new RankTiles({ session: 's', steps: '' }, () => undefined);
    answer = () => ({ epoch: 1, reading: null, ranks: [], problems: [{ worker: 'rank_0', reason: 'It is cut.' }] });
    tiles.want(places(1));
    await settled();
    expect(tiles.broken.get('rank_0')).toBe('It is cut.');
    expect(tiles.want(places(1))).toBe(true);
    expect(asked.length).toBe(1);
  });
});
