// What the editor does to a layout: moves, what is kept of it, and what is wrong with it.
import type { Band, Category, Chart } from '$api';
import { compilePattern, notAPattern } from './patterns';

export const MOST_CATEGORIES = 200;
export const MOST_CHARTS = 100;
export const LONGEST_TITLE = 500;
export const LONGEST_PATTERN = 1000;

export const newBand = (): Band => ({ value: '', lower: '', upper: '' });
export const newChart = (): Chart => ({ title: 'New chart', patterns: [''], bands: [] });

/** A title that no category has yet. */
export function freeTitle(categories: readonly Category[], wanted = 'New category'): string {
  const taken = new Set(categories.map(({ title }) => title));
  if (!taken.has(wanted)) return wanted;
  let number = 2;
  while (taken.has(`${wanted} ${number}`)) number += 1;
  return `${wanted} ${number}`;
}

/** Swaps an entry with its neighbour; at an end nothing moves. */
export function move(list: unknown[], place: number, by: -1 | 1): void {
  const other = place + by;
  if (other < 0 || other >= list.length) return;
  [list[place], list[other]] = [list[other], list[place]];
}

export const isBand = (chart: Chart): boolean => chart.bands.length > 0;

/** Makes a chart of the other kind; what the user typed for the first kind is gone. */
export function makeKind(chart: Chart, band: boolean): void {
  chart.patterns = band ? [] : [''];
  chart.bands = band ? [newBand()] : [];
}

/** Without the fields that were left empty. */
export function cleaned(categories: readonly Category[]): Category[] {
  return categories.map(({ title, charts, closed }) => ({
    title: title.trim(),
    closed,
    charts: charts.map((chart) => ({
      title: chart.title.trim(),
      patterns: chart.patterns.filter((pattern) => pattern !== ''),
      bands: chart.bands.filter(({ value, lower, upper }) => `${value}${lower}${upper}` !== ''),
    })),
  }));
}

export function patternProblem(pattern: string): string | null {
  return pattern === '' || compilePattern(pattern) !== null ? null : notAPattern(pattern);
}

/** Why the layout cannot be saved; null when it can. */
export function layoutProblem(categories: readonly Category[]): string | null {
  const titles = categories.map(({ title }) => title.trim());
  const twice = titles.find((title, i) => titles.indexOf(title) !== i);
  if (twice !== undefined) return `Two categories have the title “${twice}”. Give each category its own title.`;
  const patterns = categories.flatMap(({ charts }) => charts.flatMap((chart) => chart.patterns));
  return patterns.map(patternProblem).find((problem) => problem !== null) ?? null;
}

/** With those of the logged categories whose titles are not there yet, as copies. */
export function withLogged(own: readonly Category[], logged: readonly Category[]): Category[] {
  const taken = new Set(own.map(({ title }) => title));
  return [...own, ...structuredClone(logged.filter(({ title }) => !taken.has(title)))].slice(0, MOST_CATEGORIES);
}

/** What editing begins with when there is no layout yet. */
export function firstDraft(): Category[] {
  return [{ title: freeTitle([]), charts: [newChart()], closed: false }];
}
