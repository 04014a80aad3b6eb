// Names at the ends of lines never cover one another and stay inside the plot.
import { describe, expect, it } from 'vitest';
import { curveOf, plotOf } from './fixture';
import { endLabels, LABEL_HEIGHT, spread } from './labels';

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
    const labels = endLabels(curves, plot, 200, '12px sans-serif');
    expect(labels.map(({ text, y }) => [text, Math.round(y)])).toEqual([
      ['a', 80],
      ['b', 30],
    ]);
    expect(LABEL_HEIGHT).toBeGreaterThanOrEqual(14);
  });
  it('shortens long names to the room there is', () => {
    const [label] = endLabels(
      [curveOf([1], { label: 'x'.repeat(500) })],
      plotOf([0, 1], [0, 2]),
      60,
      '12px sans-serif',
    );
    expect(label.text.length).toBeLessThan(20);
    expect(label.text).toContain('…');
  });
});
