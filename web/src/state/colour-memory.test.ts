// Colours survive a visit, and nothing that storage holds breaks the page.
import { expect, it } from 'vitest';
import { loadColours, saveColours } from './colour-memory';

function storageOf(text: string | null) {
  let kept = text;
  return { getItem: () => kept, setItem: (_: string, value: string) => void (kept = value) };
}

it('gives back what was saved', () => {
  const storage = storageOf(null);
  saveColours(storage, new Map([['a', 3]]));
  expect(loadColours(storage)).toEqual(new Map([['a', 3]]));
});

it('forgets the oldest of very many', () => {
  const storage = storageOf(null);
  saveColours(storage, new Map(Array.from({ length: 6_000 }, (_, i) => [`run${i}`, i % 40])));
  const kept = loadColours(storage);
  expect([kept.size, kept.has('run0'), kept.has('run5999')]).toEqual([5_000, false, true]);
});

it.each(['nonsense{', '{"a":1}', '[["a",40],["b",-1],["c",1.5],[1,2],null,"x"]'])('ignores %s', (text) => {
  expect(loadColours(storageOf(text)).size).toBe(0);
});
