// Tags become cards, sections and lines in a stable order.
import { describe, expect, it } from 'vitest';
import { compileFilter } from '$web/state/tag-filter';
import { columnsFor } from '$web/widgets/window';
import {
  highlightColumns,
  isOpen,
  layOut,
  makeCards,
  makeSections,
  makeSummaryCards,
  sectionOf,
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
