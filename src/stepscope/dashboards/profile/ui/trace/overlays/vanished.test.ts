// What is gone is struck through on its own line; what only moves is not.
import { expect, it } from 'vitest';
import type { ReplayItem } from '$api';
import { drawing, stageOf, trackRow } from '../stage.fixture';
import { LINE } from '../track-rows';
import { vanishedOverlay } from './vanished';

const item = (gone: boolean, line: number, start: number, end: number): ReplayItem =>
  ({ gone, recorded_track: 1, line, recorded_start_us: start, recorded_end_us: end }) as ReplayItem;

it('what vanishes is struck through where it was recorded', () => {
  const { pen, paths } = drawing();
  const items = [item(true, 1, 100, 300), item(false, 0, 300, 400), item(true, 0, 500, 500), item(true, 9, 600, 700)];
  vanishedOverlay(items).draw(pen, stageOf([trackRow(1, 0)]));
  expect(paths).toHaveLength(2);
  expect(paths[1]).toEqual([
    [100, LINE * 1.5],
    [300, LINE * 1.5],
    [500, LINE / 2],
    [502, LINE / 2],
  ]);
});
