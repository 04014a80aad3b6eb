// Logged values find their step on the shared x and their place on the page.
import { describe, expect, it } from 'vitest';
import { valueAsked, type LoggedSteps } from './answers';
import { layOutTiles, type Arrangement, type LineSizes, type TileLine } from './lines';
import { mergePlaces, nearestStop, otherStep, pinOf, placeAt, placesOnX } from './steps';

const steps: LoggedSteps = {
  samples: 1,
  step: Float64Array.of(0, 10, 20),
  wall: Float64Array.of(100, 130, 110),
  origin: 100,
};

describe('the shared step', () => {
  it('shows the last value at or before it, the first when all come later, the newest when there is none', () => {
    expect([null, -5, 0, 9, 10, 1e9].map((at) => placeAt(steps.step, at))).toEqual([2, 0, 0, 0, 1, 2]);
    expect(placeAt(new Float64Array(), 3)).toBe(-1);
  });

  it('may be a time, also when a restart put times out of order', () => {
    expect([...placesOnX(steps, 'relative')]).toEqual([0, 30, 10]);
    expect(placeAt(placesOnX(steps, 'relative'), 20)).toBe(2);
    expect(placeAt(placesOnX(steps, 'wall'), 131)).toBe(1);
  });

  it('stops at every step of every series once, and follows the newest at the last stop', () => {
    const stops = mergePlaces([Float64Array.of(0, 10), Float64Array.of(5, 10, NaN)]);
    expect([...stops]).toEqual([0, 5, 10]);
    expect([-1, 1, 2].map((stop) => pinOf(stops, stop))).toEqual([0, 5, null]);
  });
});

describe('a typed or pinned step', () => {
  const stops = Float64Array.of(0, 10, 20);

  it('finds the nearest that was logged', () => {
    expect([-5, 4, 5, 14, 1e9].map((at) => nearestStop(stops, at))).toEqual([0, 0, 1, 1, 2]);
    expect(nearestStop(new Float64Array(), 3)).toBe(-1);
  });

  it('is told where a value is of another one', () => {
    expect(otherStep(19, 19, String)).toBeNull();
    expect(otherStep(19, [10, 30], String)).toBeNull();
    expect(otherStep(19, 35, String)).toEqual({
      wanted: '35',
      sentence: expect.stringMatching(/ 35\..* earlier .*19\.$/) as string,
    });
    expect(otherStep(50, [10, 30], String)).toEqual({
      wanted: '10 to 30',
      sentence: expect.stringMatching(/ 10 to 30\..* later .*50\.$/) as string,
    });
  });
});

describe('lines', () => {
  const values = (...runs: string[]): Map<string, number> => new Map(runs.map((run) => [run, 3]));
  const tags = [
    { name: 'x', values: values('a', 'b') },
    { name: 'y', values: values('b') },
  ];
  const sizes: LineSizes = { heading: 36, gap: 10, title: 26, columns: 2, heightOf: (tile) => (tile.wide ? 300 : 100) };
  const how: Arrangement = {
    pattern: null,
    runs: ['a', 'b'],
    samplesOf: (run) => (run === 'a' ? 2 : 1),
    isWide: () => false,
  };
  const shape = (lines: TileLine[]): unknown[] =>
    lines.map((line) => (line.kind === 'heading' ? line.name : line.tiles.map((tile) => tile.key)));

  it('have a heading for each tag and every sample of every shown run', () => {
    expect(shape(layOutTiles(tags, how, sizes))).toEqual(['x', ['a 0 x', 'a 1 x'], ['b 0 x'], 'y', ['b 0 y']]);
  });

  it('leave out what the filter or the run list leaves out', () => {
    expect(shape(layOutTiles(tags, { ...how, pattern: /y/ }, sizes))).toEqual(['y', ['b 0 y']]);
    expect(layOutTiles(tags, { ...how, runs: ['a'] }, sizes)).toHaveLength(2);
  });

  it('are shared by tags that would leave them half empty, each of which stays whole and says its name', () => {
    const many = ['l/1', 'l/2', 'l/3', 'm/1', 'n/1', 'z'].map((name) => ({ name, values: values('b') }));
    const all = layOutTiles([...many, { name: 'l/4', values: values('a', 'b') }], how, { ...sizes, columns: 4 });
    expect(shape(all)).toEqual([
      'l',
      ['b 0 l/1', 'b 0 l/2', 'b 0 l/3'],
      'l/4',
      ['a 0 l/4', 'a 1 l/4', 'b 0 l/4'],
      'm, n, General',
      ['b 0 m/1', 'b 0 n/1', 'b 0 z'],
    ]);
    expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
    expect(all.map(({ height }) => height)).toEqual([36, 136, 36, 110, 36, 136]);
    expect(all.map((line) => line.kind === 'tiles' && line.tiles.every((tile) => tile.titled))).toEqual([
      ...[false, true, false],
      ...[false, false, true],
    ]);
    const two = ['p/1', 'p/2', 'p/3'].map((name) => ({ name, values: values('a') }));
    expect(shape(layOutTiles(two, how, { ...sizes, columns: 5 }))).toEqual([
      'p',
      ['a 0 p/1', 'a 1 p/1', 'a 0 p/2', 'a 1 p/2'],
      ['a 0 p/3', 'a 1 p/3'],
    ]);
  });

  it('are a wide tile each', () => {
    const wide = layOutTiles(tags, { ...how, isWide: (run, tag) => run === 'a' && tag === 'x' }, sizes);
    expect(
      wide.map((line) => (line.kind === 'tiles' ? [line.columns, line.tall, line.tiles.length] : line.name)),
    ).toEqual(['x', [1, 300, 1], [1, 300, 1], [2, 100, 1], 'y', [2, 100, 1]]);
  });
});

it('names a value by its step and wall time, whatever the tag', () => {
  const asked = valueAsked({ run: 'abc', tag: 'a&b=<c>#' }, steps, 1, true);
  expect(asked).toEqual({ run: 'abc', tag: 'a&b=<c>#', step: 10, wall: 130, fold: true });
  const unknown = { ...steps, wall: Float64Array.of(NaN, NaN, NaN) };
  expect(valueAsked({ run: 'abc', tag: 'x' }, unknown, 0, false)).toMatchObject({ step: 0, wall: null, fold: false });
});
