// @vitest-environment happy-dom
// Names at the ends of lines never cover one another and stay inside the plot.
import { describe, expect, it } from 'vitest';
import { curveOf, plotOf } from './fixture';
import { endLabels, LABEL_HEIGHT, labelNames, spread, withoutSharedFolders } from './labels';

describe('spread', () => {
  it('leaves positions that are apart', () => expect(spread([10, 50, 90], 16, 0, 100)).toEqual([10, 50, 90]));
  it.each([[[50, 50, 50, 50, 50]], [[95, 96, 97, 98, 99]], [[1, 0, 2, 60, 61]]])(
    'moves %j apart in order',
    (wished) => {
      const placed = spread(wished, 16, 8, 92);
      const sorted = [...placed].sort((a, b) => a - b);
      sorted.slice(1).forEach((y, i) => expect(y - sorted[i]).toBeGreaterThanOrEqual(16));
      expect(sorted[0]).toBeGreaterThanOrEqual(8);
      expect(sorted[4]).toBeLessThanOrEqual(92);
      const order = (values: number[]): number[] =>
        values.map((_, i) => i).sort((a, b) => values[a] - values[b] || a - b);
      expect(order(placed)).toEqual(order(wished));
    },
  );
});

describe('endLabels', () => {
  it('stands at the last point in view', () => {
    const plot = plotOf([0, 2], [0, 10]);
    const curves = [
      curveOf([0, 1, 2, 9], { label: 'a' }),
      curveOf([7, 7, 7], { label: 'b' }),
      curveOf([], { label: 'c' }),
    ];
    const labels = endLabels(curves, ['a', 'b', 'c'], plot, 200, '12px sans-serif');
    expect(labels.map(({ text, y }) => [text, Math.round(y)])).toEqual([
      ['a', 80],
      ['b', 30],
    ]);
    expect(LABEL_HEIGHT).toBeGreaterThanOrEqual(14);
  });
  it('stands where a noisy line is lately, not where its last point is', () => {
    const plot = plotOf([0, 1000], [0, 10]);
    const noisy = (last: number) => curveOf([...Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? 4 : 6)), last]);
    const [low, high] = [0, 10].map((last) => endLabels([noisy(last)], ['a'], plot, 200, '12px sans-serif')[0].y);
    expect(Math.abs(low - high)).toBeLessThan(4);
    expect(low).toBeCloseTo(50, -1);
  });
  it('shortens long names to the room there is', () => {
    const plot = plotOf([0, 1], [0, 2]);
    const [label] = endLabels([curveOf([1])], ['x'.repeat(500)], plot, 60, '12px sans-serif');
    expect(label.text.length).toBeLessThan(20);
    expect(label.text).toContain('…');
  });
});

describe('names', () => {
  it('drops folders that all names share', () => {
    expect(withoutSharedFolders(['a/lr0.1/x', 'a/lr0.01/x'])).toEqual(['lr0.1/x', 'lr0.01/x']);
    expect(withoutSharedFolders(['lr0.1', 'lr0.01'])).toEqual(['lr0.1', 'lr0.01']);
    expect(withoutSharedFolders(['a/b', 'a/b'])).toEqual(['b', 'b']);
    expect(withoutSharedFolders(['a/', 'a/'])).toEqual(['a/', 'a/']);
    expect(withoutSharedFolders(['a/only'])).toEqual(['a/only']);
  });
  it('keeps them when there is room', () => {
    const curves = ['a/x', 'a/y'].map((label) => curveOf([1], { label }));
    expect(labelNames(curves, 500, '12px sans-serif')).toEqual(['a/x', 'a/y']);
    expect(labelNames(curves, 10, '12px sans-serif')).toEqual(['x', 'y']);
  });
  it.each([
    [
      ['a/lr0.1 (n = 3)', 'lr0.2 (n = 2–3)'],
      ['lr0.1', 'lr0.2'],
    ],
    [
      ['a/net train', 'b/other validation'],
      ['net train', 'other val'],
    ],
    [
      ['a/net/train', 'b/other/train'],
      ['net', 'other'],
    ],
    [
      ['a/net', 'b/net'],
      ['a', 'b'],
    ],
    [
      ['resnet18_lr0.1_seed2 train', 'resnet18_lr0.01_seed2 validation'],
      ['lr0.1_…train', 'lr0.01_…val'],
    ],
  ])('shortens %j where they stay different', (labels, expected) => {
    const curves = labels.map((label) => curveOf([1], { label }));
    expect(labelNames(curves, 10, '12px sans-serif')).toEqual(expected);
  });
});
