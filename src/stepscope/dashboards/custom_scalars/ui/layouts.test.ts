// Patterns of scripts find the right tags, never for ever; bands follow both edges; categories become lines, and are edited.
import { expect, it, vi } from 'vitest';
import type { SeriesPart } from '$web/api/series';
import type { Category, Chart } from '$api';
import { bandOf } from './bands';
import { cleaned, freeTitle, layoutProblem, makeKind, move, newChart, withLogged } from './editing';
import { filterSections, linesOf, sectionsOf } from './lines';
import { Matcher, type Matching } from './matcher';
import { matchTags, MOST_TAGS, patternOf, type Matched } from './patterns';

it('matches from the start of a tag', () => {
  const tags = ['loss/train', 'loss/val', 'val/loss', 'Loss'];
  expect(matchTags('loss', tags).tags).toEqual(['loss/train', 'loss/val']);
  expect(matchTags('loss/val$', tags).tags).toEqual(['loss/val']);
  expect(matchTags('.*loss', tags).tags).toEqual(['loss/train', 'loss/val', 'val/loss']);
  expect(matchTags('(?i)loss', tags).tags).toEqual(['loss/train', 'loss/val', 'Loss']);
});

it('reads what Python spells otherwise', () => {
  expect(matchTags(String.raw`\A(?P<part>\w+)/(?P=part)\Z`, ['a/a', 'a/b', 'a/a/a']).tags).toEqual(['a/a']);
  expect(matchTags(String.raw`\\A`, ['A', String.raw`\A`]).tags).toEqual([String.raw`\A`]);
});

it('says what is no pattern, and counts beyond what is drawn', () => {
  expect(matchTags('loss(', ['loss(']).problem).toContain('loss( is not a regular expression');
  const many = Array.from({ length: MOST_TAGS + 5 }, (_, i) => `t${i}`);
  const found = matchTags('t', many);
  expect([found.tags.length, found.all]).toEqual([MOST_TAGS, MOST_TAGS + 5]);
});

it('writes a pattern for one tag alone', () => {
  const tag = 'a.b/(c)[0]+$';
  expect(matchTags(patternOf(tag), [tag, `${tag}x`, 'axb/(c)[0]+$']).tags).toEqual([tag]);
});

/** A worker that answers in its own time, and never to what is slow. */
class Fake implements Matching {
  static all: Fake[] = [];
  onmessage: Matching['onmessage'] = null;
  gone = false;
  private tags: readonly string[] = [];
  constructor() {
    Fake.all.push(this);
    queueMicrotask(() => this.say('ready'));
  }
  postMessage(message: { tags: readonly string[] } | { pattern: string }): void {
    if ('tags' in message) this.tags = message.tags;
    else if (message.pattern !== 'slow') queueMicrotask(() => this.say(matchTags(message.pattern, this.tags)));
  }
  terminate(): void {
    this.gone = true;
  }
  private say(data: 'ready' | Matched): void {
    this.onmessage?.({ data } as MessageEvent<'ready' | Matched>);
  }
}

it('gives up a pattern that never ends, and matches the next', async () => {
  vi.useFakeTimers();
  Fake.all = [];
  const matcher = new Matcher(() => new Fake(), 500);
  const tags = ['a', 'b'];
  const all = Promise.all(['a', 'slow', 'b'].map((pattern) => matcher.match(pattern, tags)));
  await vi.advanceTimersByTimeAsync(501);
  const found = await all;
  expect(found.map((one) => one.tags)).toEqual([['a'], [], ['b']]);
  expect(found[1]?.problem).toContain('too slow');
  expect(Fake.all.map(({ gone }) => gone)).toEqual([true, false]);
  vi.useRealTimers();
});

it('matches each pattern once, and anew when there are other tags', async () => {
  const matcher = new Matcher(() => new Fake());
  const tags = ['a'];
  expect(matcher.match('a', tags)).toBe(matcher.match('a', tags));
  expect((await matcher.match('a', tags)).tags).toEqual(['a']);
  expect((await matcher.match('a', ['a1', 'a2'])).tags).toEqual(['a1', 'a2']);
});

function part(x: number[], y: number[], smooth?: number[]): SeriesPart {
  const xs = Float64Array.from(x);
  const made = smooth === undefined ? null : { x: xs, y: Float64Array.from(smooth), segment: new Int32Array(x.length) };
  return { x: xs, y: Float64Array.from(y), smooth: made } as SeriesPart;
}

it('fills between edges where both are known', () => {
  const band = bandOf(part([0, 10, 20], [0, 10, 20]), part([5, 10, 30], [50, 100, 300]));
  expect([...(band?.x ?? [])]).toEqual([5, 10, 20]);
  expect([...(band?.low ?? [])]).toEqual([5, 10, 20]);
  expect([...(band?.high ?? [])]).toEqual([50, 100, 200]);
});

it('smooths edges with the line, and draws no band without both', () => {
  const band = bandOf(part([0, 1], [0, 9], [1, 2]), part([0, 1], [5, 6], [7, 8]));
  expect([[...(band?.low ?? [])], [...(band?.high ?? [])]]).toEqual([
    [1, 2],
    [7, 8],
  ]);
  expect(bandOf(part([0], [0]), undefined)).toBeUndefined();
  expect(bandOf(part([0, 1], [0, 0]), part([2, 3], [1, 1]))).toBeUndefined();
});

const chart = (title: string, ...patterns: string[]): Chart => ({ title, patterns, bands: [] });
const category = (title: string, ...charts: Chart[]): Category => ({ title, charts, closed: false });

it('lays out categories, those made on the page first, and titles may be the same', () => {
  const logged = [category('A', chart('one'), chart('two'), chart('three')), { ...category('B'), closed: true }];
  const lines = linesOf(sectionsOf([category('A', chart('mine'))], logged), (section) => !section.closed, {
    heading: 36,
    card: 200,
    columns: 2,
  });
  expect(
    lines.map((line) => (line.kind === 'heading' ? line.section.title : line.cards.map((card) => card.chart.title))),
  ).toEqual(['A', ['mine'], 'A', ['one', 'two'], ['three'], 'B']);
  expect(new Set(lines.map((line) => line.key)).size).toBe(lines.length);
  expect(lines.flatMap((line) => (line.kind === 'cards' ? [line.columns] : []))).toEqual([1, 2, 2]);
});

it('filters charts by title, pattern and category', () => {
  const sections = sectionsOf([], [category('Loss', chart('a', 'x')), category('Other', chart('b', 'y'), chart('c'))]);
  const titles = (pattern: RegExp): string[] =>
    filterSections(sections, pattern).flatMap(({ charts }) => charts.map(({ title }) => title));
  expect(titles(/Loss/)).toEqual(['a']);
  expect(titles(/y/)).toEqual(['b']);
  expect(titles(/Other/)).toEqual(['b', 'c']);
});

it('moves entries, and nothing at the ends', () => {
  const list = ['a', 'b', 'c'];
  move(list, 0, -1);
  move(list, 2, 1);
  expect(list).toEqual(['a', 'b', 'c']);
  move(list, 1, -1);
  expect(list).toEqual(['b', 'a', 'c']);
});

it('changes the kind of a chart and keeps nothing empty', () => {
  const made = newChart();
  makeKind(made, true);
  expect([made.patterns, made.bands.length]).toEqual([[], 1]);
  expect(cleaned([category(' A ', made, chart(' t ', '', 'x'))])).toEqual([
    category('A', { ...made, bands: [] }, chart('t', 'x')),
  ]);
});

it('finds what keeps a layout from being saved', () => {
  expect(layoutProblem([category('A', chart('t', 'x', '')), category('B')])).toBeNull();
  expect(layoutProblem([category('A'), category(' A')])).toMatch(/^Two categories .*\bA\b/);
  expect(layoutProblem([category('A', chart('t', 'x('))])).toContain('x( is not a regular expression');
});

it('gives new categories titles of their own, and copies logged ones that are not there', () => {
  expect(freeTitle([])).toBe('New category');
  expect(freeTitle([category('New category'), category('New category 2')])).toBe('New category 3');
  const logged = [category('A', chart('theirs')), category('B', chart('b'))];
  const all = withLogged([category('A', chart('mine'))], logged);
  expect(all).toEqual([category('A', chart('mine')), category('B', chart('b'))]);
  expect(all[1]).not.toBe(logged[1]);
});
