// The palette finds by any words, best first.
import { expect, it } from 'vitest';
import { search, type Entry } from './palette';

const entries: Entry[] = [
  { kind: 'tag', id: '1', name: 'train/closs' },
  { kind: 'tag', id: '2', name: 'val/loss' },
  { kind: 'tag', id: '3', name: 'loss' },
  { kind: 'tag', id: '4', name: 'loss/extra' },
  { kind: 'run', id: '5', name: 'lossy run' },
  { kind: 'command', id: '6', name: 'Read the folder again' },
];

it('puts beginnings before middles and short before long', () => {
  expect(search(entries, 'LOSS', 9).map((entry) => entry.id)).toEqual(['3', '5', '4', '2', '1']);
});

it('finds a run that was given a name by its folder too', () => {
  expect(search([{ kind: 'run', id: '7', name: 'best', also: 'sweep/lr0.1' }], 'lr0.1', 9)).toHaveLength(1);
});

it('needs every word', () => {
  expect(search(entries, 'val loss', 9).map((entry) => entry.id)).toEqual(['2']);
  expect(search(entries, 'nothing', 9)).toEqual([]);
});

it('offers some of each kind before anything is typed', () => {
  expect(new Set(search(entries, ' ', 8).map((entry) => entry.kind))).toEqual(new Set(['tag', 'run', 'command']));
});
