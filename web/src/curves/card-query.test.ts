// Cards ask for what they can show, and no more than the server should send.
import { expect, it } from 'vitest';
import { defaultView } from '../state/view';
import { queryFor, seriesFor, widthFor } from './card-query';

it('asks for few widths, twice as many on fine screens, fewer for very many lines', () => {
  expect(widthFor(340, 1, 3)).toBe(384);
  expect(widthFor(350, 1, 3)).toBe(384);
  expect(widthFor(340, 2, 3)).toBe(768);
  expect(widthFor(340, 1, 1000)).toBe(96);
  expect(widthFor(340, 1, 50_000)).toBe(64);
});

it('names only runs that have the tag', () => {
  const has = (run: string, tag: string) => run !== 'b' || tag === 'acc';
  expect(seriesFor(['loss', 'acc'], new Set(['a', 'b']), has)).toEqual([
    { run: 'a', tag: 'loss' },
    { run: 'a', tag: 'acc' },
    { run: 'b', tag: 'acc' },
  ]);
});

it('leaves smoothing out at zero, and stays with steps until a tag is chosen', () => {
  const view = { ...defaultView(), x: 'tag' as const };
  expect(queryFor(view, 64)).toMatchObject({ x: 'step', x_tag: null, smoothing: null });
  const chosen = { ...view, xTag: 'epoch', smoothing: { method: 'mean' as const, amount: 5 } };
  expect(queryFor(chosen, 64)).toMatchObject({ x: 'tag', x_tag: 'epoch', smoothing: { method: 'mean', amount: 5 } });
});
