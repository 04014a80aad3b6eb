// How high the parts of a card are, and how the card is called among the settings that the address keeps.

export const ROW = 20;
export const GAP = 12;
const HEAD = 30;
const CHART = 240;
const WIDE_CHART = 420;
const MOST_ROWS = 5;
const MOST_WIDE_ROWS = 12;

/** It shows all runs of its tag, so that no run is in its name. */
export function cardIdOf(tag: string): string {
  return `@pr_curves ${tag}`;
}

export interface CardSizes {
  chart: number;
  /** Rows of the list that are seen at once. */
  rows: number;
  /** The list's height, with the line below it that says how many more there are. */
  list: number;
  /** Of the whole card, with the gap below it. */
  line: number;
}

/** Of cards in one line, the fullest of which has so many runs. */
export function cardSizes(members: number, wide: boolean): CardSizes {
  const rows = Math.min(wide ? MOST_WIDE_ROWS : MOST_ROWS, members);
  const list = (rows + (members > rows ? 1 : 0)) * ROW;
  const chart = wide ? WIDE_CHART : CHART;
  return { chart, rows, list, line: HEAD + chart + list + GAP };
}

/** Cards side by side; a wide one has a line to itself, where it stands. */
export function cardLines<Card>(cards: readonly Card[], columns: number, isWide: (card: Card) => boolean): Card[][] {
  const lines: Card[][] = [];
  let line: Card[] = [];
  for (const card of cards) {
    const wide = isWide(card);
    if (line.length > 0 && (wide || line.length === columns)) {
      lines.push(line);
      line = [];
    }
    if (wide) lines.push([card]);
    else line.push(card);
  }
  return line.length > 0 ? [...lines, line] : lines;
}
