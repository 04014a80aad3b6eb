// Lanes show the same moment at the same place, each in its own time, whoever of them is moved.
import { describe, expect, it } from 'vitest';
import type { TimeAxis, Window } from '../window';
import { laneAxis } from './lane-axis';

function shared(current: Window): TimeAxis {
  return {
    current,
    limits: [0, 1000],
    own: (marked) => marked,
    marked: (own) => own,
    show(window) {
      (this as { current: Window }).current = window;
    },
  };
}

describe('axes of lanes', () => {
  it('are the shared one in the time of each', () => {
    const axis = shared([100, 200]);
    const [one, other] = [laneAxis(axis, () => 0), laneAxis(axis, () => 150)];
    expect(one.current).toEqual([100, 200]);
    expect(other.current).toEqual([-50, 50]);
    expect(other.limits).toEqual([-150, 850]);
  });

  it('keep selections in the time of the first trace', () => {
    const axis = shared([100, 200]);
    const [one, other] = [
      laneAxis(
        axis,
        () => 30,
        () => 30,
      ),
      laneAxis(
        axis,
        () => 150,
        () => 30,
      ),
    ];
    expect(one.own([10, 20])).toEqual([10, 20]);
    expect(other.own([10, 20])).toEqual([-110, -100]);
    expect(other.marked([-110, -100])).toEqual([10, 20]);
  });

  it('move all when one is moved', () => {
    const axis = shared([100, 200]);
    const [one, other] = [laneAxis(axis, () => 10), laneAxis(axis, () => 150)];
    other.show([0, 25]);
    expect(axis.current).toEqual([150, 175]);
    expect(one.current).toEqual([140, 165]);
  });
});
