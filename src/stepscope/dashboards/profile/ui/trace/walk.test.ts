// Arrow keys lead along a line, into a span and out of it, and on to the next track.
import { describe, expect, it } from 'vitest';
import type { Picked } from './paint';
import { trackRow } from './stage.fixture';
import { across, beside, firstShown, type Ground } from './walk';

const picked = (track: number, line: number, start: number, end: number): Picked => ({
  row: start,
  track,
  line,
  name: '',
  group: 0,
  start,
  end,
  count: 1,
});
const spans = [picked(1, 0, 100, 400), picked(1, 1, 200, 300), picked(1, 0, 500, 600), picked(2, 0, 250, 260)];
const rows = [trackRow(9, 0, 0), trackRow(1, 0, 2), trackRow(2, 50, 1), trackRow(3, 90, 1)];
const ground: Ground = {
  strips: {
    neighbour: (track, line, start, forward) =>
      spans.find(
        (one) => one.track === track && one.line === line && (forward ? one.start > start : one.start < start),
      ) ?? null,
    at: (track, line) => spans.find((one) => one.track === track && one.line === line) ?? null,
  },
  rows,
  visible: rows,
  shown: [0, 1000],
};

describe('the arrow keys', () => {
  it('begin with the first span on screen', () => {
    expect(firstShown(ground)).toBe(spans[0]);
    expect(beside(null, true, ground)).toBe(spans[0]);
    expect(across(null, 1, ground).span).toBe(spans[0]);
  });

  it('lead along a line', () => {
    expect(beside(picked(1, 0, 100, 400), true, ground)).toBe(spans[2]);
    expect(beside(picked(1, 0, 500, 600), false, ground)).toBe(spans[0]);
    expect(beside(picked(1, 0, 500, 600), true, ground)).toBeNull();
  });

  it('lead into a span, out of it and to the next track, seen or not', () => {
    expect(across(picked(1, 0, 100, 400), 1, ground)).toEqual({ span: spans[1], track: null });
    expect(across(picked(1, 1, 200, 300), -1, ground)).toEqual({ span: spans[0], track: null });
    expect(across(picked(1, 1, 200, 300), 1, ground)).toEqual({ span: spans[3], track: rows[2] });
    expect(across(picked(2, 0, 250, 260), -1, ground)).toEqual({ span: spans[1], track: rows[1] });
    expect(across(picked(2, 0, 250, 260), 1, ground)).toEqual({ span: null, track: rows[3] });
    expect(across(picked(1, 0, 100, 400), -1, ground)).toEqual({ span: null, track: null });
  });
});
