// Runs side by side: which settings differ, and which lines of texts.
import { expect, it } from 'vitest';
import { compareSettings, sideBySide } from './comparison';

it('says which settings differ, and leaves out what no run has', () => {
  const logged: Record<string, string>[] = [{ lr: '0.1', model: 'vit' }, { model: 'vit' }];
  const runs = logged.map((settings) => (name: string) => settings[name]);
  expect(compareSettings(['lr', 'model', 'other'], runs)).toEqual([
    { name: 'lr', values: ['0.1', undefined], differs: true },
    { name: 'model', values: ['vit', 'vit'], differs: false },
  ]);
});

it('puts lines that replace one another in one row', () => {
  const rows = sideBySide('a\nb\nc\nd', 'a\nx\nd\ne');
  expect(rows.map(({ left, right, same }) => [left, right, same])).toEqual([
    ['a', 'a', true],
    ['b', 'x', false],
    ['c', null, false],
    ['d', 'd', true],
    [null, 'e', false],
  ]);
});
