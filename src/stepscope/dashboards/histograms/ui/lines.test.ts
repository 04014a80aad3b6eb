// Cards of histograms stand in sections, the runs of a tag side by side, and ask for what their pixels can show.
import { expect, it } from 'vitest';
import { askFor } from './card-query';
import { layOutCards, type HistogramLine } from './lines';

const SIZES = { heading: 10, card: 100, wideCard: 300, columns: 2 };
const words = (line: HistogramLine): string =>
  line.kind === 'heading'
    ? `# ${line.name} ${line.cards}`
    : `${line.cards.map(({ run, tag }) => `${tag}@${run}`).join(' ')} /${line.columns}`;

const lay = (tags: string[], wide = '', pattern: RegExp | null = null): string[] =>
  layOutCards(
    tags,
    { pattern, runs: ['a', 'b'], has: (run, tag) => run === 'a' || tag !== 'x/1', isWide: (_, tag) => tag === wide },
    SIZES,
  ).map(words);

it('puts tags of one first part together, and what has none under General', () => {
  expect(lay(['x/1', 'plain', 'x/2'])).toEqual([
    '# x 3',
    'x/1@a x/2@a /2',
    'x/2@b /2',
    '# General 2',
    'plain@a plain@b /2',
  ]);
});

it('gives a wide card its own line and leaves out what the filter does not want', () => {
  expect(lay(['x/1', 'x/2', 'y/3'], 'x/2', /^x/)).toEqual(['# x 3', 'x/1@a /2', 'x/2@a /1', 'x/2@b /1']);
});

it('asks for cells of two pixels, and for fewer hills', () => {
  const view = { x: 'tag', zoom: [1, 5], fold: true } as const;
  const size = { width: 400, height: 200 };
  expect(askFor('heat', { ...view, x: 'wall', zoom: [1, 5] }, [0, 1], size)).toEqual({
    kind: 'grid',
    query: { x: 'wall', range: [1, 5], values: [0, 1], slots: 200, bins: 100, fold: true },
  });
  // Another tag is no axis of time: its zoom means nothing here.
  expect(askFor('percentiles', { ...view, zoom: [1, 5] }, undefined, size).query).toMatchObject({
    x: 'step',
    range: null,
    slots: 400,
  });
  expect(askFor('offset', { ...view, zoom: null }, undefined, size).query).toMatchObject({
    slots: 50,
    bins: 200,
    values: null,
  });
});
