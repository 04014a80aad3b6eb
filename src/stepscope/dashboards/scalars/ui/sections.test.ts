// Tags become cards, sections and lines in a stable order.
import { describe, expect, it } from 'vitest';
import { compileFilter } from '$web/state/tag-filter';
import { columnsFor } from '$web/widgets/window';
import {
  dividedCards,
  highlightColumns,
  isOpen,
  layOut,
  makeCards,
  makeSections,
  makeSummaryCards,
  sectionOf,
  slotOf,
  type CardSpec,
} from './sections';

const tags = ['acc', 'loss', 'val/acc', 'val/loss', 'layers/1/w', '/odd'];
const card = (id: string): CardSpec => ({ id, tags: [id] });

describe('sections', () => {
  it('are named by the first part of the tag', () => {
    expect(tags.map(sectionOf)).toEqual(['General', 'General', 'val', 'val', 'layers', 'General']);
    const sections = makeSections(makeCards(tags, []).values(), null);
    expect(sections.map((section) => `${section.name} ${section.cards.length}`)).toEqual([
      'General 3',
      'val 2',
      'layers 1',
    ]);
  });

  it('keep what the filter finds in any tag of a card', () => {
    const cards = makeCards(tags, [['acc', 'val/acc', 'gone']]);
    expect(cards.get('acc')?.tags).toEqual(['acc', 'val/acc']);
    const { pattern } = compileFilter('^VAL/');
    expect(makeSections(cards.values(), pattern).flatMap((section) => section.cards.map((one) => one.id))).toEqual([
      'acc',
      'val/acc',
      'val/loss',
    ]);
    expect(compileFilter('(').problem).toContain('not a regular expression');
  });

  it('hold cards of other kinds under the same first part, one for each run', () => {
    const summaries = makeSummaryCards(
      'histogram',
      ['val/acc', 'w'],
      ['a', 'b'],
      (run, tag) => run === 'a' || tag === 'w',
    );
    const sections = makeSections([...makeCards(tags, []).values(), ...summaries.values()], /^(val|w)/);
    expect(sections.map(({ name, cards }) => [name, ...cards.map((one) => one.id)])).toEqual([
      ['val', 'val/acc', 'val/loss', '@histogram a val/acc'],
      ['General', '@histogram a w', '@histogram b w'],
    ]);
    expect(summaries.get('@histogram b w')?.summary).toEqual({ kind: 'histogram', run: 'b', tag: 'w' });
  });

  it('are open up to the third, as chosen, or while filtering', () => {
    expect(isOpen('a', 2, [], [], false)).toBe(true);
    expect(isOpen('a', 3, [], [], false)).toBe(false);
    expect(isOpen('a', 3, ['a'], [], false)).toBe(true);
    expect(isOpen('a', 9, [], [], true)).toBe(true);
    expect(isOpen('a', 0, [], ['a'], true)).toBe(false);
  });
});

describe('layOut', () => {
  const sizes = {
    heading: 36,
    gap: 12,
    heightOf: (one: CardSpec) => (one.id === 'w' ? 400 : 260),
    isWide: (one: CardSpec) => one.id === 'w',
  };
  const block = (name: string, ids: string, open = true) => ({
    name,
    cards: [...ids].map(card),
    open,
    fixed: false,
    columns: 3,
  });

  it('fills lines of three and gives a wide card its own', () => {
    const lines = layOut([block('s', 'abcdwef')], sizes);
    expect(lines.map((line) => (line.kind === 'heading' ? '#' : line.cards.map((one) => one.id).join('')))).toEqual([
      '#',
      'abc',
      'd',
      'w',
      'ef',
    ]);
    expect(lines.map((line) => line.height)).toEqual([36, 272, 272, 412, 272]);
  });

  it('shows only the heading of what is closed, with unique keys throughout', () => {
    const lines = layOut([block('s', 'ab', false), block('t', 'ab'), block('u', 'ab')], sizes);
    expect(lines).toHaveLength(5);
    expect(new Set(lines.map((line) => line.key)).size).toBe(5);
  });
});

it('chooses columns by width', () => {
  expect([600, 980, 1140, 2260].map((width) => columnsFor(width, 310, 12, 5))).toEqual([1, 3, 3, 5]);
  expect([980, 1140, 2260].map((width) => highlightColumns(4, width, 12))).toEqual([2, 2, 4]);
  expect([1, 2, 3].map((count) => highlightColumns(count, 1140, 12))).toEqual([1, 2, 3]);
});

describe('facets', () => {
  const facets = ['a', 'b', 'c'].map((key) => ({ key, label: key, runs: new Set([key]) }));
  const tags = [...makeCards(['loss', 'accuracy'], []).values()];

  it('divides cards of scalars alone, and each has a slot of its own', () => {
    const panel = { id: 'panel', tags: [], panel: { kind: 'formula', formula: 'a' } } as const;
    const cards = dividedCards([...tags, panel], facets);
    expect(cards.map(({ id, facet }) => [id, facet?.key])).toEqual([
      ...['a', 'b', 'c'].map((key) => ['loss', key]),
      ...['a', 'b', 'c'].map((key) => ['accuracy', key]),
      ['panel', undefined],
    ]);
    expect(new Set(cards.map(slotOf)).size).toBe(7);
    expect(dividedCards(tags, null)).toEqual(tags);
  });

  it('begins a line for each tag and counts tags', () => {
    const cards = dividedCards(tags, facets);
    const lines = layOut([{ name: 'General', cards, open: true, fixed: false, columns: 2 }], {
      heading: 36,
      gap: 12,
      isWide: () => false,
      heightOf: () => 200,
    });
    expect(lines.map((line) => (line.kind === 'cards' ? line.cards.map(slotOf) : line.count))).toEqual([
      2,
      ...['loss', 'accuracy'].flatMap((tag) => [[`${tag}\u0000a`, `${tag}\u0000b`], [`${tag}\u0000c`]]),
    ]);
  });
});
