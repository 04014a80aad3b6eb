// @vitest-environment happy-dom
// Cards of every kind are found by their dashboards' folders, and their names can be read back.
import { expect, it } from 'vitest';
import { cardIdOf, parseCardId } from './card-ids';
import { CARD_KINDS, cardKindOf } from './kinds';

it('finds the kinds by their folders', () => {
  expect(CARD_KINDS.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['histogram', 'image']));
  expect(cardKindOf('histogram')?.label).toBe('Histograms');
  expect(cardKindOf('scalar')).toBeUndefined();
});

it("reads its own names back and nobody else's", () => {
  const odd = 'a b\n@~/<c>';
  expect(parseCardId(cardIdOf('image', '0123456789ab', odd))).toEqual({ kind: 'image', run: '0123456789ab', tag: odd });
  for (const tag of ['loss', '@image', '@image 0123456789ab ', '@image nothex loss', ''])
    expect(parseCardId(tag)).toBeNull();
});
