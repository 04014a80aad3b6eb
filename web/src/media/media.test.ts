// Logged values find their step on the shared x and their place on the page.
import { describe, expect, it } from 'vitest';
import { valueQuery, type LoggedSteps } from './answers';
import { layOutTiles, type LineSizes } from './lines';
import { mergePlaces, pinOf, placeAt, placesOnX } from './steps';

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

describe('lines', () => {
  const tags = [
    {
      name: 'x',
      values: new Map([
        ['a', 3],
        ['b', 1],
      ]),
    },
    { name: 'y', values: new Map([['b', 1]]) },
  ];
  const sizes: LineSizes = { heading: 36, tile: 100, columns: 2 };
  const how = { pattern: null, runs: ['a', 'b'], samplesOf: (run: string) => (run === 'a' ? 2 : 1) };

  it('have a heading for each tag and every sample of every shown run', () => {
    const lines = layOutTiles(tags, how, sizes);
    expect(lines.map((line) => (line.kind === 'heading' ? line.tag : line.tiles.map((tile) => tile.key)))).toEqual([
      'x',
      ['a 0 x', 'a 1 x'],
      ['b 0 x'],
      'y',
      ['b 0 y'],
    ]);
  });

  it('leave out what the filter or the run list leaves out', () => {
    expect(layOutTiles(tags, { ...how, pattern: /y/ }, sizes).map((line) => line.key)).toEqual([
      'heading y',
      'tiles b 0 y',
    ]);
    expect(layOutTiles(tags, { ...how, runs: ['a'] }, sizes)).toHaveLength(2);
  });
});

it('names a value by its step and wall time, whatever the tag', () => {
  const query = valueQuery({ run: 'abc', tag: 'a&b=<c>#' }, steps, 1, true);
  expect(String(query)).toBe('run=abc&tag=a%26b%3D%3Cc%3E%23&step=10&wall=130&fold=true');
  const unknown = { ...steps, wall: Float64Array.of(NaN, NaN, NaN) };
  expect(String(valueQuery({ run: 'abc', tag: 'x' }, unknown, 0, false))).toBe('run=abc&tag=x&step=0&fold=false');
});
