// Names at the right end of the lines, moved apart so that none covers another.
import type { Plot } from '../draw/layer';
import { withoutSharedWords } from '../runs/names';
import { fitMiddle, textWidth } from './measure';
import { brightOf, type Strand } from './strands';
import type { Curve } from './types';

export const MOST_LABELS = 5;
export const LABEL_HEIGHT = 16;

export interface EndLabel {
  readonly text: string;
  readonly colour: string;
  readonly dash: Curve['dash'];
  /** Middle of the text. */
  readonly y: number;
}

/** Moves wished positions apart to at least `height`, keeping their order and staying between top and bottom. */
export function spread(wished: readonly number[], height: number, top: number, bottom: number): number[] {
  const order = wished.map((_, i) => i).sort((a, b) => wished[a] - wished[b]);
  const placed = [...wished];
  let floor = top;
  for (const i of order) {
    placed[i] = Math.max(wished[i], floor);
    floor = placed[i] + height;
  }
  let ceiling = bottom;
  for (const i of order.reverse()) {
    placed[i] = Math.min(placed[i], ceiling);
    ceiling = placed[i] - height;
  }
  return placed;
}

/** Labels of noisy lines must not change places with each new point: they stand at the mean of this part of the plot. */
const END_PART = 0.05;

/** Where a line ends in view, in pixels, or null when it has no point there. */
function endOf(curve: Curve, plot: Plot): number | null {
  let last: { strand: Strand; at: number } | null = null;
  for (const strand of brightOf(curve)) {
    let at = strand.x.length - 1;
    while (at >= 0 && !(strand.x[at] <= plot.x.domain[1] && Number.isFinite(plot.y.map(strand.y[at])))) at -= 1;
    if (at >= 0 && (last === null || strand.x[at] > last.strand.x[last.at])) last = { strand, at };
  }
  if (last === null) return null;
  const { strand, at } = last;
  const from = plot.x.map(strand.x[at]) - END_PART * (plot.area.right - plot.area.left);
  let [sum, count] = [0, 0];
  for (let i = at; i >= 0 && plot.x.map(strand.x[i]) >= from; i -= 1) {
    const y = plot.y.map(strand.y[i]);
    if (!Number.isFinite(y)) continue;
    sum += y;
    count += 1;
  }
  return sum / count;
}

/** A folder that only says which data it is of tells nothing without the one above it. */
const LAST_PART = /(?:[^/]+\/)?(?:train|validation|val|eval|evaluation|test)$|[^/]+$/;

/** Names without the folders that all of them share, which tell nothing apart. */
export function withoutSharedFolders(names: readonly string[]): string[] {
  if (names.length < 2) return [...names];
  const [first] = names;
  let shared = 0;
  while (shared < first.length && names.every((name) => name[shared] === first[shared])) shared += 1;
  const cut = first.lastIndexOf('/', shared - 1) + 1;
  return names.map((name) => name.slice(cut) || name);
}

/**
 * The names as they are when they fit into `room` pixels, else without the folders they share, without any folder,
 * short of words that the line style and the legend tell too, and at last without the words that all of them share,
 * as long as they stay different.
 */
export function labelNames(curves: readonly Curve[], room: number, font: string): string[] {
  const names = curves.map((curve) => curve.label);
  const last = names.map((name) => LAST_PART.exec(name)?.[0] ?? name);
  const shorten = (name: string): string => name.replace(/ \(n = [^)]*\)$/, '').replace(/ validation$/, ' val');
  const brief = last.map(shorten);
  const differ = new Set(names).size;
  const distinct = withoutSharedWords(new Set(brief).size < differ ? names.map(shorten) : brief);
  let best = names;
  for (const tried of [names, withoutSharedFolders(names), last, brief, distinct]) {
    if (new Set(tried).size < differ) continue;
    best = tried;
    if (tried.every((name) => textWidth(name, font) <= room)) break;
  }
  return best;
}

export function endLabels(
  curves: readonly Curve[],
  names: string[],
  plot: Plot,
  room: number,
  font: string,
): EndLabel[] {
  const { top, bottom } = plot.area;
  const ends = curves.flatMap((curve, i) => {
    const y = endOf(curve, plot);
    return y === null ? [] : [{ curve, name: names[i], y: Math.max(top, Math.min(bottom, y)) }];
  });
  const placed = spread(
    ends.map((end) => end.y),
    LABEL_HEIGHT,
    top + LABEL_HEIGHT / 2,
    bottom - LABEL_HEIGHT / 2,
  );
  return ends.map(({ curve, name }, i) => ({
    text: fitMiddle(name, room, font),
    colour: curve.colour,
    dash: curve.dash,
    y: placed[i],
  }));
}
