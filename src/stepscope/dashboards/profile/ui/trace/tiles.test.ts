// Tiles of one level never overlap, what is missing is asked for once, and a coarser tile stands in until the right one is there.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { COLUMNS, levelOf, shadeOf, tileLength, Tiles, tilesOf, tileWindow } from './tiles';

const asked: URLSearchParams[] = [];
let answer: (query: URLSearchParams) => object;

function frame(header: object): ArrayBuffer {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const start = Math.ceil((4 + json.length) / 8) * 8;
  const out = new Uint8Array(start + 8);
  new DataView(out.buffer).setUint32(0, json.length, true);
  out.set(json, 4);
  return out.buffer;
}

const empty = (query: URLSearchParams): object => ({
  epoch: 1,
  reading: null,
  names: [],
  tracks: (query.get('tracks') ?? '').split(',').map((track) => ({ track: Number(track), hidden: 0, columns: {} })),
  counters: [],
});

beforeEach(() => {
  asked.length = 0;
  answer = empty;
  vi.stubGlobal('document', { baseURI: 'http://localhost/' });
  vi.stubGlobal('fetch', (address: string) => {
    const query = new URL(address).searchParams;
    asked.push(query);
    return Promise.resolve({ ok: true, arrayBuffer: () => Promise.resolve(frame(answer(query))) });
  });
});
afterEach(() => vi.unstubAllGlobals());

const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 5));

describe('levels and tiles', () => {
  it('have columns of at most a pixel', () => {
    expect(levelOf([0, 1024], 1024)).toBe(0);
    expect(levelOf([0, 1024], 1000)).toBe(0);
    expect(levelOf([0, 1024], 1025)).toBe(-1);
    expect(levelOf([5, 6], 1000)).toBe(-10);
  });

  it('cover the window without overlapping', () => {
    const places = tilesOf([1000, 9000], 1);
    const windows = places.map(tileWindow);
    expect(windows[0]?.[0]).toBeLessThanOrEqual(1000);
    expect(windows.at(-1)?.[1]).toBeGreaterThanOrEqual(9000);
    windows.slice(1).forEach((one, i) => expect(one[0]).toBe(windows[i]?.[1]));
    expect(tileLength(1)).toBe(2 * COLUMNS);
  });

  it('of a window that ends at a border do not begin another one', () => {
    expect(tilesOf([0, tileLength(3)], 3)).toEqual([{ level: 3, index: 0 }]);
  });
});

describe('asking for tiles', () => {
  const place = { level: 0, index: 2 };

  it('asks for what is missing, once', async () => {
    const changed = vi.fn();
    const tiles = new Tiles({ session: 's', worker: '' }, changed);
    tiles.want([place], [1, 2]);
    tiles.want([place], [1, 2]);
    await settled();
    tiles.want([place], [1, 2, 3]);
    await settled();
    expect(asked.map((query) => query.get('tracks'))).toEqual(['1,2', '3']);
    expect(asked.map((query) => [query.get('start_us'), query.get('end_us')])).toEqual([
      ['4096', '6144'],
      ['4096', '6144'],
    ]);
    expect(tiles.has(place, 3)).toBe(true);
    expect(changed).toHaveBeenCalled();
  });

  it('asks again while the server reads the profile', async () => {
    const reading = { files_done: 0, files: 1, bytes_done: 0, bytes: 9, analysing: false, seconds: 1 };
    let first = true;
    answer = (query) => {
      const given = first ? { ...empty(query), reading, tracks: [] } : empty(query);
      first = false;
      return given;
    };
    const tiles = new Tiles({ session: 's', worker: '' }, () => undefined);
    tiles.want([place], [1]);
    await settled();
    expect(asked).toHaveLength(2);
    expect(tiles.has(place, 1)).toBe(true);
  });

  it('drops what is not wanted any more, but not what is around it', async () => {
    const aborted: string[] = [];
    vi.stubGlobal('fetch', (address: string, { signal }: { signal: AbortSignal }) => {
      const start = new URL(address).searchParams.get('start_us') ?? '';
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          aborted.push(start);
          reject(new DOMException('', 'AbortError'));
        }),
      );
    });
    const tiles = new Tiles({ session: 's', worker: '' }, () => undefined);
    const [near, far, here] = [3, 9, 2].map((index) => ({ level: 0, index }));
    if (near === undefined || far === undefined || here === undefined) throw new Error('no places');
    tiles.want([near, far], [1]);
    tiles.want([here], [1], [near]);
    await settled();
    expect(aborted).toEqual([String(9 * COLUMNS)]);
    tiles.stop();
  });

  it('draws a coarser tile, else finer ones, until the right one is there', async () => {
    const tiles = new Tiles({ session: 's', worker: '' }, () => undefined);
    expect(tiles.find(place, 1)).toEqual([]);
    tiles.want([{ level: -1, index: 5 }], [1]);
    await settled();
    expect(tiles.find(place, 1).map((one) => one.place)).toEqual([{ level: -1, index: 5 }]);
    tiles.want([{ level: 3, index: 0 }], [1]);
    await settled();
    expect(tiles.find(place, 1).map((one) => one.place)).toEqual([{ level: 3, index: 0 }]);
    tiles.want([place], [1]);
    await settled();
    expect(tiles.find(place, 1).map((one) => one.place)).toEqual([place]);
  });

  it('tells why there is nothing', async () => {
    let calls = 0;
    vi.stubGlobal('fetch', () => {
      calls += 1;
      return Promise.resolve({
        ok: false,
        status: 404,
        json: () => Promise.resolve({ error: { code: 'x', message: 'Gone.' } }),
      });
    });
    const tiles = new Tiles({ session: 's', worker: '' }, () => undefined);
    tiles.want([place], [1]);
    await settled();
    expect(tiles.problem).toBe('Gone.');
    expect(tiles.want([place], [1])).toBe(false);
    await settled();
    expect(calls, 'not asked again at once').toBe(1);
    tiles.stop();
  });
});

describe('shades', () => {
  it('are the same for the same name, and differ among names', () => {
    expect(shadeOf('gemm')).toBe(shadeOf('gemm'));
    expect(new Set(Array.from({ length: 40 }, (_, i) => shadeOf(`kernel_${i}`))).size).toBe(4);
  });
});
