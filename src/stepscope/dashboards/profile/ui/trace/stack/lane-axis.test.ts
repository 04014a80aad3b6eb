// Lanes show the same moment at the same place, each in its own time, whoever of them is moved.
import { describe, expect, it } from 'vitest';
import type { TimeAxis, Window } from '../window';
import { laneAxis } from './lane-axis';

function shared(current: Window): TimeAxis {
  return {
    current,
    limits: [0, 1000],
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

  it('move all when one is moved', () => {
    const axis = shared([100, 200]);
    const [one, other] = [laneAxis(axis, () => 10), laneAxis(axis, () => 150)];
    other.show([0, 25]);
    expect(axis.current).toEqual([150, 175]);
    expect(one.current).toEqual([140, 165]);
  });
});
