// @vitest-environment happy-dom
// The shared cursor is cleared at once, and the ruler has the extent of all charts that have data on the same axis.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { view } from './choices.svelte';
import { cursor, ruler } from './cursor.svelte';

beforeEach(() => {
  // Another axis forgets whatever other files have reported.
  view.x = 'wall';
  ruler.report('none', null);
  view.x = 'step';
  ruler.report('none', null);
});
afterEach(() => {
  view.x = 'step';
});

it('is nowhere after it was cleared', () => {
  Object.assign(cursor, { x: 3, run: 'a' });
  cursor.clear();
  expect([cursor.x, cursor.run]).toEqual([null, null]);
});

describe('the ruler', () => {
  it('reaches from the lowest to the highest x, and has every restart once', () => {
    ruler.report('loss', { x: [5, 20], restarts: [12, 7] });
    ruler.report('accuracy', { x: [0, 10], restarts: [7] });
    expect(ruler.extent).toEqual([0, 20]);
    expect(ruler.restarts).toEqual([7, 12]);
  });

  it('forgets a card that has nothing any more', () => {
    ruler.report('loss', { x: [5, 20], restarts: [] });
    ruler.report('loss', null);
    expect(ruler.extent).toBeNull();
  });

  it('forgets all cards when x is another axis', () => {
    ruler.report('loss', { x: [5, 20], restarts: [] });
    view.x = 'relative';
    ruler.report('accuracy', { x: [1, 2], restarts: [] });
    expect(ruler.extent).toEqual([1, 2]);
  });

  it('keeps the old extent until the cards that a filter leaves have data', () => {
    ruler.report('loss', { x: [5, 20], restarts: [] });
    ruler.report('accuracy', { x: [0, 10], restarts: [] });
    ruler.keep(new Set(['accuracy']));
    expect(ruler.extent).toEqual([0, 10]);
    ruler.keep(new Set(['other']));
    expect(ruler.extent).toEqual([0, 10]);
  });

  it('draws no more than 200 restarts', () => {
    ruler.report('loss', { x: [0, 1], restarts: Array.from({ length: 500 }, (_, i) => i) });
    expect(ruler.restarts).toHaveLength(200);
  });
});
