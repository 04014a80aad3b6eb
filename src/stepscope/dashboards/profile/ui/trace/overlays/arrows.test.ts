// An arrow begins and ends at its spans, and is left out when one of them is folded away.
import { describe, expect, it } from 'vitest';
import { drawing, stageOf, trackRow } from '../stage.fixture';
import { LINE } from '../track-rows';
import { arrowOverlay, type Arrow } from './arrows';

function points(arrow: Arrow): number[][] {
  const { pen, paths } = drawing();
  arrowOverlay([arrow]).draw(pen, stageOf([trackRow(0, 0), trackRow(1, 100)], { window: [0, 100], top: 5 }));
  return paths.flat();
}

describe('arrows', () => {
  it('lead from the cause to what it caused', () => {
    const [first, , , last] = points({ from: { track: 0, line: 1, time: 10 }, to: { track: 1, line: 0, time: 50 } });
    expect(first).toEqual([100, LINE * 1.5 - 5]);
    expect(last).toEqual([500, 100 + LINE / 2 - 5]);
  });

  it('are left out without one of their ends', () => {
    expect(points({ from: { track: 0, line: 0, time: 10 }, to: { track: 9, line: 0, time: 50 } })).toEqual([]);
  });
});
