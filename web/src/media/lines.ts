// Arranges tiles as lines of the page: a heading for each tag, or one for several tags that have few tiles each and share lines.
import type { LoggedTag } from './answers';
import type { Pattern } from '../patterns/pattern';

export interface TileSpec {
  key: string;
  run: string;
  tag: string;
  sample: number;
  /** Whether it has a line to itself. */
  wide: boolean;
  /** Whether it says its tag, because the heading above does not. */
  titled: boolean;
}

export type TileLine =
  | { kind: 'heading'; key: string; name: string; tag: string | null; tags: number; runs: number; height: number }
  | { kind: 'tiles'; key: string; tiles: TileSpec[]; columns: number; tall: number; height: number };

export interface LineSizes {
  heading: number;
  /** Below each line. */
  gap: number;
  /** How much higher a tile is that says its tag. */
  title: number;
  columns: number;
  heightOf: (tile: TileSpec) => number;
}

export interface Arrangement {
  pattern: Pattern | null;
  /** Runs that are shown, in the order of the run list. */
  runs: readonly string[];
  /** How many samples a value of that run and tag has, 1 while unknown. */
  samplesOf: (run: string, tag: string) => number;
  isWide: (run: string, tag: string) => boolean;
}

interface TagTiles {
  tag: string;
  runs: number;
  tiles: TileSpec[];
}

/** Tags below one heading. */
interface Block {
  names: string[];
  tags: TagTiles[];
  /** Whether tags share lines in it. */
  flows: boolean;
}

/** Tags without a "/" are together. */
function sectionOf(tag: string): string {
  const cut = tag.indexOf('/');
  return cut <= 0 ? 'General' : tag.slice(0, cut);
}

/** The samples of a run stand together. */
function tilesOf({ name: tag, values }: LoggedTag, how: Arrangement): TagTiles {
  const runs = how.runs.filter((run) => values.has(run));
  const tiles = runs.flatMap((run) =>
    Array.from({ length: how.samplesOf(run, tag) }, (_, sample) => {
      return { key: `${run} ${sample} ${tag}`, run, tag, sample, wide: how.isWide(run, tag), titled: false };
    }),
  );
  return { tag, runs: runs.length, tiles };
}

const tilesIn = (tags: readonly TagTiles[]): number => tags.reduce((sum, { tiles }) => sum + tiles.length, 0);

/** Tags in their order, those with few tiles together. */
function stretches(tags: readonly TagTiles[], columns: number): { tags: TagTiles[]; flows: boolean }[] {
  const found: { tags: TagTiles[]; flows: boolean }[] = [];
  for (const one of tags) {
    const flows = 2 * one.tiles.length <= columns;
    const last = found[found.length - 1];
    if (flows && last?.flows === true) last.tags.push(one);
    else found.push({ tags: [one], flows });
  }
  return found;
}

/** Tags that fill at most half a line share lines with those of the same first part, and small sections share a line. */
function blocksOf(all: readonly TagTiles[], columns: number): Block[] {
  const sections = new Map<string, TagTiles[]>();
  for (const one of all) {
    const name = sectionOf(one.tag);
    const section = sections.get(name);
    if (section === undefined) sections.set(name, [one]);
    else section.push(one);
  }
  const blocks: Block[] = [];
  for (const [name, tags] of sections) {
    for (const part of stretches(tags, columns)) {
      const last = blocks[blocks.length - 1];
      if (part.flows && last?.flows === true && tilesIn(last.tags) + tilesIn(part.tags) <= columns) {
        last.names.push(name);
        last.tags.push(...part.tags);
      } else blocks.push({ names: [name], ...part });
    }
  }
  return blocks;
}

/** A tag's tiles stay in one line when they fit into one; wide ones have a line to themselves, where they stand. */
function tileLines(block: string, tags: readonly TagTiles[], titled: boolean, sizes: LineSizes): TileLine[] {
  const lines: TileLine[] = [];
  let line: TileSpec[] = [];
  const flush = (columns = sizes.columns): void => {
    if (line.length > 0) {
      const tall = Math.max(...line.map((tile) => sizes.heightOf(tile))) + (titled ? sizes.title : 0);
      // Named by its place, so that tiles which change places move instead of being made anew.
      const key = `tiles ${lines.length} ${block}`;
      lines.push({ kind: 'tiles', key, tiles: line, columns, tall, height: tall + sizes.gap });
    }
    line = [];
  };
  for (const { tiles } of tags) {
    if (tiles.length <= sizes.columns && line.length + tiles.length > sizes.columns) flush();
    for (const tile of tiles) {
      if (tile.wide) flush();
      line.push({ ...tile, titled });
      if (tile.wide) flush(1);
      else if (line.length === sizes.columns) flush();
    }
  }
  flush();
  return lines;
}

/** Sections stand where their first tag does. */
export function layOutTiles(tags: readonly LoggedTag[], how: Arrangement, sizes: LineSizes): TileLine[] {
  const all = tags
    .filter(({ name }) => how.pattern === null || how.pattern.test(name))
    .map((tag) => tilesOf(tag, how))
    .filter(({ tiles }) => tiles.length > 0);
  return blocksOf(all, sizes.columns).flatMap(({ names, tags: own }) => {
    const [first, second] = own;
    const tag = second === undefined ? (first?.tag ?? null) : null;
    const name = tag ?? names.join(', ');
    // Of its tags every one stands in one block only, so that the first tells blocks apart.
    const block = first?.tag ?? '';
    const runs = Math.max(...own.map((one) => one.runs));
    return [
      { kind: 'heading', key: `heading ${block}`, name, tag, tags: own.length, runs, height: sizes.heading } as const,
      ...tileLines(block, own, tag === null, sizes),
    ];
  });
}
