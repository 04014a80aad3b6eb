// Which part of a long list is on screen, for lists that draw only that part.

export interface Span {
  first: number;
  /** One past the last. */
  end: number;
}

/** Lines of equal height. */
export function visibleLines(count: number, height: number, top: number, viewport: number, spare: number): Span {
  const first = Math.max(0, Math.min(count, Math.floor(top / height) - spare));
  const end = Math.max(first, Math.min(count, Math.ceil((top + viewport) / height) + spare));
  return { first, end };
}

/** Where each line of its own height begins; the last entry is the whole height. */
export function lineTops(heights: readonly number[]): number[] {
  const tops = [0];
  for (const height of heights) tops.push((tops[tops.length - 1] ?? 0) + height);
  return tops;
}

/** The first line whose end lies below `y`. */
function lineAt(tops: readonly number[], y: number): number {
  let low = 0;
  let high = tops.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tops[middle + 1] ?? Infinity) > y) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function visibleRange(tops: readonly number[], top: number, viewport: number, spare: number): Span {
  const count = tops.length - 1;
  if (count <= 0) return { first: 0, end: 0 };
  const first = Math.min(count, lineAt(tops, Math.max(0, top - spare)));
  const end = Math.min(count, lineAt(tops, top + viewport + spare) + 1);
  return { first, end: Math.max(first, end) };
}

interface Placed {
  lines: readonly { key: string }[];
  tops: readonly number[];
}

/** How far the first line on screen that is still there has moved. */
export function movedBy(before: Placed, now: Placed, top: number): number {
  const places = new Map(now.lines.map(({ key }, place) => [key, place]));
  for (let line = lineAt(before.tops, Math.max(0, top)); line < before.lines.length; line++) {
    const place = places.get(before.lines[line]?.key ?? '');
    if (place !== undefined) return (now.tops[place] ?? 0) - (before.tops[line] ?? 0);
  }
  return 0;
}

/** How many columns of at least that width fit side by side. */
export function columnsFor(width: number, least: number, gap: number, most: number): number {
  return Math.max(1, Math.min(most, Math.floor((width + gap) / (least + gap))));
}

/** The longest text of each column, by its characters. */
export function longestTexts(rows: readonly (readonly string[])[]): string[] {
  const longest: string[] = [];
  for (const row of rows) {
    row.forEach((text, column) => {
      if (text.length > (longest[column]?.length ?? -1)) longest[column] = text;
    });
  }
  return longest;
}
