// Arranges tiles as lines of the page: a heading for each tag, then tiles side by side.
import type { LoggedTag } from './answers';

export interface TileSpec {
  key: string;
  run: string;
  tag: string;
  sample: number;
}

export type TileLine =
  | { kind: 'heading'; key: string; tag: string; runs: number; height: number }
  | { kind: 'tiles'; key: string; tiles: TileSpec[]; height: number };

export interface LineSizes {
  heading: number;
  tile: number;
  columns: number;
}

export interface Arrangement {
  pattern: RegExp | null;
  /** Runs that are shown, in the order of the run list. */
  runs: readonly string[];
  /** How many samples a value of that run and tag has, 1 while unknown. */
  samplesOf: (run: string, tag: string) => number;
}

/** Tags in their order; the samples of a run stand together. */
export function layOutTiles(tags: readonly LoggedTag[], how: Arrangement, sizes: LineSizes): TileLine[] {
  const lines: TileLine[] = [];
  for (const { name, values } of tags) {
    if (how.pattern !== null && !how.pattern.test(name)) continue;
    const runs = how.runs.filter((run) => values.has(run));
    if (runs.length === 0) continue;
    lines.push({ kind: 'heading', key: `heading ${name}`, tag: name, runs: runs.length, height: sizes.heading });
    let line: TileSpec[] = [];
    const flush = (): void => {
      const [first] = line;
      if (first !== undefined)
        lines.push({ kind: 'tiles', key: `tiles ${first.key}`, tiles: line, height: sizes.tile });
      line = [];
    };
    for (const run of runs) {
      for (let sample = 0; sample < how.samplesOf(run, name); sample++) {
        line.push({ key: `${run} ${sample} ${name}`, run, tag: name, sample });
        if (line.length === sizes.columns) flush();
      }
    }
    flush();
  }
  return lines;
}
