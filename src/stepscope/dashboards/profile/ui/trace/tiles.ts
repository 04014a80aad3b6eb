// Pieces of the timeline as the server sends them: each has the spans of some tracks in a stretch of time at one level of detail.
import { getFrame } from '$web/api/client';
import { addressOf } from '$web/api/routes';
import type { Decoded } from '$web/api/frame';
import type { CounterColumns, ReadingRow, TileColumns } from '$api';
import type { Window } from './window';

/** Columns of a tile. A level's column is a power of two of microseconds, so that tiles of one level never overlap. */
export const COLUMNS = 2048;
/** Levels that are looked through for something to draw until the right one is there. */
const COARSER = 14;
const FINER = 3;
/** Most entries that are kept; the oldest tiles go first. */
const MOST_ENTRIES = 6_000_000;
export const MOST_TRACKS = 500;
const RETRY_MS = 3000;

/** The spans of one track in a tile: the longest of each column on each line. */
export interface TrackTile extends Decoded<TileColumns> {
  /** Texts that `name` counts in, and a number of each for its shade. */
  names: readonly string[];
  shades: Uint8Array;
}

/** A counter in a tile: what it had in each column. */
export type CounterTile = Decoded<CounterColumns>;

export interface TilePlace {
  level: number;
  index: number;
}

/** Microseconds of a tile of a level. */
export const tileLength = (level: number): number => COLUMNS * 2 ** level;

export const tileWindow = ({ level, index }: TilePlace): Window => [
  index * tileLength(level),
  (index + 1) * tileLength(level),
];

/** The level at which a column is at most a pixel wide. */
export function levelOf([from, to]: Window, pixels: number): number {
  return Math.floor(Math.log2((to - from) / Math.max(1, pixels)));
}

/** The tiles of a level that a window touches. */
export function tilesOf([from, to]: Window, level: number): TilePlace[] {
  const length = tileLength(level);
  const first = Math.max(0, Math.floor(from / length));
  const last = Math.max(first, Math.ceil(to / length) - 1);
  return Array.from({ length: last - first + 1 }, (_, place) => ({ level, index: first + place }));
}

/** A small number of a text, the same everywhere. */
export function shadeOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length && place < 80; place += 1)
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  // The last letters, often numbers, reach the upper bits only by mixing once more.
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 30;
}

const keyOf = ({ level, index }: TilePlace, track: number): string => `${level}/${index}/${track}`;

export interface TileQuestion {
  session: string;
  worker: string;
}

type Kept = { spans?: TrackTile; counter?: CounterTile; entries: number };

/** The tiles of one profile that are in memory, and those that are on their way. */
export class Tiles {
  private readonly kept = new Map<string, Kept>();
  private readonly asked = new Map<string, AbortController>();
  private entries = 0;
  /** How far reading has come, while the server reads the profile (again). */
  reading: ReadingRow | null = null;
  problem: string | null = null;
  private retryAt = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly question: TileQuestion,
    private readonly changed: () => void,
  ) {}

  /** The tile of a track, or the best other one to draw meanwhile: a coarser one, else finer ones. */
  find(place: TilePlace, track: number): { place: TilePlace; kept: Kept }[] {
    const exact = this.kept.get(keyOf(place, track));
    if (exact !== undefined) return [{ place, kept: exact }];
    for (let up = 1; up <= COARSER; up += 1) {
      const coarser = { level: place.level + up, index: Math.floor(place.index / 2 ** up) };
      const kept = this.kept.get(keyOf(coarser, track));
      if (kept !== undefined) return [{ place: coarser, kept }];
    }
    for (let down = 1; down <= FINER; down += 1) {
      const many = 2 ** down;
      const found = Array.from({ length: many }, (_, i) => {
        const finer = { level: place.level - down, index: place.index * many + i };
        return { place: finer, kept: this.kept.get(keyOf(finer, track)) };
      }).filter((one): one is { place: TilePlace; kept: Kept } => one.kept !== undefined);
      if (found.length > 0) return found;
    }
    return [];
  }

  has(place: TilePlace, track: number): boolean {
    return this.kept.has(keyOf(place, track));
  }

  /**
   * Asks for what is missing of these tracks in these tiles, and answers whether nothing is. What is on its way and neither in these
   * tiles nor in `around` is dropped.
   */
  want(places: readonly TilePlace[], tracks: readonly number[], around: readonly TilePlace[] = []): boolean {
    const wanted = new Set([...places, ...around].map(({ level, index }) => `${level}/${index}`));
    for (const [key, controller] of this.asked)
      if (!wanted.has(key.slice(0, key.lastIndexOf('/')))) {
        controller.abort();
        this.asked.delete(key);
      }
    let complete = true;
    for (const place of places) {
      const missing = tracks.filter((track) => !this.kept.has(keyOf(place, track)));
      complete &&= missing.length === 0;
      const unasked = missing.filter((track) => !this.asked.has(keyOf(place, track)));
      if (unasked.length > 0 && Date.now() >= this.retryAt) void this.fetch(place, unasked.slice(0, MOST_TRACKS));
    }
    return complete;
  }

  stop(): void {
    clearTimeout(this.retry);
    for (const controller of this.asked.values()) controller.abort();
    this.asked.clear();
  }

  private async fetch(place: TilePlace, tracks: readonly number[]): Promise<void> {
    const controller = new AbortController();
    const keys = tracks.map((track) => keyOf(place, track));
    for (const key of keys) this.asked.set(key, controller);
    try {
      await this.load(place, tracks, controller.signal);
      this.problem = null;
    } catch (error) {
      if (!controller.signal.aborted) this.failed(error instanceof Error ? error.message : String(error));
    }
    for (const key of keys) if (this.asked.get(key) === controller) this.asked.delete(key);
    if (!controller.signal.aborted) this.changed();
  }

  /** A server that does not answer is asked again, but not at once. */
  private failed(problem: string): void {
    this.problem = problem;
    this.retryAt = Date.now() + RETRY_MS;
    clearTimeout(this.retry);
    this.retry = setTimeout(this.changed, RETRY_MS);
  }

  private async load(place: TilePlace, tracks: readonly number[], signal: AbortSignal): Promise<void> {
    const [start_us, end_us] = tileWindow(place);
    const { session, worker } = this.question;
    const address = addressOf('profile/{session}/tiles', {
      session,
      worker,
      start_us,
      end_us,
      columns: COLUMNS,
      tracks: tracks.join(','),
      lines: 255,
    });
    for (;;) {
      const frame = await getFrame(address, signal);
      const { reading, names, tracks: found, counters } = frame.header;
      this.reading = reading;
      if (reading !== null) {
        this.changed();
        continue;
      }
      const shades = Uint8Array.from(names, shadeOf);
      for (const { track, columns } of found) {
        const spans: TrackTile = {
          start: frame.floats(columns.start),
          end: frame.floats(columns.end),
          row: frame.ints(columns.row),
          name: frame.ints(columns.name),
          line: frame.bytes(columns.line),
          group: frame.bytes(columns.group),
          count: frame.ints(columns.count),
          names,
          shades,
        };
        this.keep(keyOf(place, track), { spans, entries: spans.start.length + 1 });
      }
      for (const { track, columns } of counters) {
        const counter: CounterTile = {
          start: frame.floats(columns.start),
          low: frame.floats(columns.low),
          high: frame.floats(columns.high),
          last: frame.floats(columns.last),
        };
        this.keep(keyOf(place, track), { counter, entries: counter.start.length + 1 });
      }
      return;
    }
  }

  private keep(key: string, tile: Kept): void {
    this.entries += tile.entries - (this.kept.get(key)?.entries ?? 0);
    this.kept.delete(key);
    this.kept.set(key, tile);
    for (const [oldest, { entries }] of this.kept) {
      if (this.entries <= MOST_ENTRIES || oldest === key) break;
      this.kept.delete(oldest);
      this.entries -= entries;
    }
  }
}
