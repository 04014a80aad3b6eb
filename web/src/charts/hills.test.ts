// Hills behind each other or on one base line, and the one under the pointer.
import { describe, expect, it } from 'vitest';
import type { GridPart } from '../api/histograms';
import { plotOf } from './fixture';
import { HillsLayer, slotMiddle } from './hills';
import { recordingPen } from './recording-pen';

const part = {
  kind: 'grid',
  bins: 2,
  values: [0, 4],
  cells: Float32Array.of(0, 10, 5, 0),
  slots: { first_x: Float64Array.of(20, 60), last_x: Float64Array.of(40, 80), count: Int32Array.of(1, 1) },
} as unknown as GridPart;
const plot = plotOf([0, 4], [0, 100]);

it('has its slots in the middle of what they cover', () =>
  expect([slotMiddle(part, 0), slotMiddle(part, 1), slotMiddle(part, 2)]).toEqual([30, 70, NaN]));

describe('hills', () => {
  it('stand behind each other, the tallest as high as there is room', () => {
    const { pen, paths } = recordingPen();
    new HillsLayer(part, { colour: '#ff0000', room: 40 }).draw(pen, plot);
    expect(paths.map(({ corners }) => corners)).toEqual([
      [
        [0, 70],
        [25, 70],
        [75, 30],
        [100, 70],
      ],
      [
        [0, 30],
        [25, 10],
        [75, 30],
        [100, 30],
      ],
    ]);
    expect(paths.every(({ fill }) => fill !== null)).toBe(true);
  });
  it('share a base line where there is no room', () => {
    const { pen, paths } = recordingPen();
    new HillsLayer(part, { colour: '#ff0000', room: 0 }).draw(pen, plot);
    expect(paths[0].corners).toEqual([
      [0, 100],
      [25, 100],
      [75, 90],
      [100, 100],
    ]);
    expect(paths.every(({ fill }) => fill === null)).toBe(true);
  });
  it('are found by the height of their line', () => {
    const layer = new HillsLayer(part, { colour: '#ff0000', room: 40 });
    expect(layer.pick(75, 28, plot)).toEqual({ item: 1, distance: 2 });
    expect(layer.pick(25, 65, plot)).toEqual({ item: 0, distance: 5 });
    expect(layer.pick(-5, 65, plot)).toBeNull();
  });
  it('are drawn bright one at a time, and only those that are there', () => {
    const { pen, paths } = recordingPen();
    const layer = new HillsLayer(part, { colour: '#ff0000', room: 40 });
    layer.drawBright(pen, plot, 2, '#00ff00');
    layer.drawBright(pen, plot, 1, '#00ff00');
    expect(paths).toMatchObject([{ stroke: '#00ff00', fill: null }]);
  });
});
