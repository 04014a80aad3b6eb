// Rows of ranks as the server sends them: per rank and tile, the share of each column that each group of time owns.
import { getFrame } from '$web/api/client';
import { addressOf } from '$web/api/routes';
import type { ReadingRow } from '$api';
import { COLUMNS, tileWindow, type TilePlace } from '../tiles';

/** Ranks in one question, as the server allows. */
const MOST_RANKS = 16;
/** Questions at a time, so that a screen of large files does not fill the server's queue. */
const AT_ONCE = 3;
/** Tiles in memory, of 10 kB each. */
const MOST_TILES = 6000;
const COARSER = 14;
const RETRY_MS = 3000;

/** Shares from 0 to 255, group after group in the order of GROUPS without untraced, COLUMNS each. */
export type Shares = readonly Uint8Array[];

export interface RankQuestion {
  session: string;
  steps: string;
}

/** A tile of one rank's own time. */
export interface RankPlace extends TilePlace {
  worker: string;
}

const keyOf = ({ worker, level, index }: RankPlace): string => `${level}/${index}/${worker}`;

/** The tiles of one session's ranks that are in memory, and those that are on their way. */
export class RankTiles {
  private readonly kept = new Map<string, Shares>();
  private readonly asked = new Map<string, AbortController>();
  private running = 0;
  private retryAt = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  /** Ranks that the server cannot read, and why. */
  readonly broken = new Map<string, string>();
  reading: ReadingRow | null = null;
  problem: string | null = null;

  constructor(
    private readonly question: RankQuestion,
    private readonly changed: () => void,
  ) {}

  /** A tile, or a coarser one to draw meanwhile. */
  find(place: RankPlace): { place: TilePlace; shares: Shares } | null {
    for (let up = 0; up <= COARSER; up += 1) {
      const from = { ...place, level: place.level + up, index: Math.floor(place.index / 2 ** up) };
      const shares = this.kept.get(keyOf(from));
      if (shares !== undefined) return { place: from, shares };
    }
    return null;
  }

  /**
   * Asks for what is missing, and answers whether nothing is; then for what is missing `around` it. What is on its way and neither of
   * both is dropped.
   */
  want(places: readonly RankPlace[], around: readonly RankPlace[] = []): boolean {
    const wanted = this.missing(places);
    const later = this.missing(around);
    const keys = new Set([...wanted, ...later].map(keyOf));
    for (const [key, controller] of this.asked)
      if (!keys.has(key)) {
        controller.abort();
        this.asked.delete(key);
      }
    if (Date.now() >= this.retryAt) {
      const unasked = (wanted.length > 0 ? wanted : later).filter((place) => !this.asked.has(keyOf(place)));
      for (const batch of batches(unasked)) if (this.running < AT_ONCE) void this.fetch(batch);
    }
    return wanted.length === 0;
  }

  private missing(places: readonly RankPlace[]): RankPlace[] {
    return places.filter((place) => !this.broken.has(place.worker) && !this.kept.has(keyOf(place)));
  }

  stop(): void {
    clearTimeout(this.retry);
    for (const controller of this.asked.values()) controller.abort();
    this.asked.clear();
  }

  private async fetch(places: readonly RankPlace[]): Promise<void> {
    const controller = new AbortController();
    const keys = places.map(keyOf);
    for (const key of keys) this.asked.set(key, controller);
    this.running += 1;
    try {
      await this.load(places, controller.signal);
      this.problem = null;
    } catch (error) {
      if (!controller.signal.aborted) this.failed(error instanceof Error ? error.message : String(error));
    }
    this.running -= 1;
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

  private async load(places: readonly RankPlace[], signal: AbortSignal): Promise<void> {
    const [first] = places;
    if (first === undefined) return;
    const [start_us, end_us] = tileWindow(first);
    const address = addressOf('profile/{session}/rank_tiles', {
      ...this.question,
      workers: places.map(({ worker }) => worker).join('\n'),
      start_us,
      end_us,
      columns: COLUMNS,
    });
    const frame = await getFrame(address, signal);
    this.reading = frame.header.reading;
    for (const { worker, reason } of frame.header.problems) this.broken.set(worker, reason);
    for (const { worker, columns } of frame.header.ranks) {
      const { compute, communication, copy, input_wait, host } = columns;
      this.keep(
        keyOf({ ...first, worker }),
        [compute, communication, copy, input_wait, host].map((column) => frame.bytes(column)),
      );
    }
    // Ranks that are still being read are asked for again by the next drawing.
  }

  private keep(key: string, shares: Shares): void {
    this.kept.delete(key);
    this.kept.set(key, shares);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MOST_TILES) break;
      this.kept.delete(oldest);
    }
  }
}

/** Questions: each has ranks of one tile, in the order in which they are wanted. */
export function batches(places: readonly RankPlace[]): RankPlace[][] {
  const found: RankPlace[][] = [];
  const open = new Map<string, RankPlace[]>();
  for (const place of places) {
    const tile = `${place.level}/${place.index}`;
    let batch = open.get(tile);
    if (batch === undefined || batch.length === MOST_RANKS) {
      batch = [];
      open.set(tile, batch);
      found.push(batch);
    }
    batch.push(place);
  }
  return found;
}
