// Values that are no numbers stand at the edges, and many of them are few marks.
import { expect, it } from 'vitest';
import { curveOf, plotOf } from './fixture';
import { MARK_NAMES, MarksLayer } from './marks';
import { recordingPen } from './recording-pen';

const marked = (x: number[], kind: number[]) =>
  curveOf([], { marks: { x: Float64Array.from(x), kind: Uint8Array.from(kind) } });
const drawn = (x: number[], kind: number[]) => {
  const { pen, paths } = recordingPen();
  new MarksLayer([marked(x, kind)]).draw(pen, plotOf([0, 100], [0, 1]));
  return paths;
};

it('puts NaN and −Inf at the bottom and +Inf at the top, NaN hollow', () => {
  const [nan, above, below] = drawn([10, 30, 50], [1, 2, 3]);
  expect(nan.corners).toEqual([
    [6, 100],
    [14, 100],
    [10, 93],
  ]);
  expect(above.corners).toEqual([
    [26, 7],
    [34, 7],
    [30, 0],
  ]);
  expect(below.corners).toEqual([
    [46, 93],
    [54, 93],
    [50, 100],
  ]);
  expect([nan.fill === nan.stroke, above.fill === above.stroke, below.fill === below.stroke]).toEqual([
    false,
    true,
    true,
  ]);
});

it('draws one of many that lie within a few pixels, of each kind', () => {
  const x = Array.from({ length: 1000 }, (_, i) => i / 10);
  expect(
    drawn(
      x,
      x.map(() => 1),
    ),
  ).toHaveLength(25);
  expect(drawn([50, 50], [1, 2])).toHaveLength(2);
  expect(drawn([NaN], [1])).toHaveLength(0);
});

it('has a name for every kind', () => expect(Object.keys(MARK_NAMES)).toEqual(['1', '2', '3']));
