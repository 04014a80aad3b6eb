// A replay is painted where work would run; what vanished is a box where it was, what takes another time has a mark.
import { describe, expect, it } from 'vitest';
import { makeScale } from '$web/draw/scale';
import { inks } from '$web/style/theme';
import type { Replay, ReplayItem } from '$api';
import { heightOfReplay, isChanged, paintReplay, replayAt, replayTip, savingText, STEP_ROW } from './replay-paint';
import { drawing } from './stage.fixture';
import { LINE } from './track-rows';

const item = (track: number, start: number, end: number, recorded: [number, number], more: object = {}): ReplayItem =>
  ({
    track,
    row: 1,
    recorded_track: 0,
    line: 0,
    name: 'gemm',
    part: 'compute',
    count: 1,
    gone: false,
    start_us: start,
    end_us: end,
    recorded_start_us: recorded[0],
    recorded_end_us: recorded[1],
    ...more,
  }) as ReplayItem;
const gone = item(0, 100, 100, [100, 400], { gone: true, name: 'next', part: 'input' });
const shorter = item(1, 100, 250, [400, 700]);
const moved = item(1, 250, 350, [700, 800], { name: 'copy', part: 'h2d' });
const step = { step: 3, start_us: 0, end_us: 400, recorded_start_us: 0, recorded_end_us: 850 };
const replay = { tracks: ['Host', 'stream 7'], steps: [step], items: [gone, shorter, moved] } as unknown as Replay;
const stage = { x: makeScale('linear', [0, 1000], [0, 1000]), width: 1000, theme: 'light', ink: inks.light } as const;

describe('a replay', () => {
  it('has a row for each track below its steps', () => {
    expect(heightOfReplay(replay)).toBe(STEP_ROW + 2 * LINE + 4);
    const { pen, boxes, rects, texts } = drawing();
    paintReplay(pen, replay, stage);
    const work = boxes.filter(([, y = 0]) => y >= STEP_ROW);
    expect(work.map(([x, y]) => [x, y])).toEqual([
      [100, STEP_ROW + LINE],
      [100, STEP_ROW + 2 * LINE - 4],
      [250, STEP_ROW + LINE],
    ]);
    expect(rects.map(([x, , width]) => [x, width])).toEqual([[100.5, 299]]);
    expect(texts[0]).toContain('Step 3');
    expect(texts[0]).toContain('\u2212450');
  });

  it('marks what takes another time', () => {
    expect([gone, shorter, moved].map(isChanged)).toEqual([true, true, false]);
    expect(savingText({ ...step, end_us: 850 })).toBe('');
    expect(savingText({ ...step, end_us: 900 })).toMatch(/^\+/);
  });

  it('is found under the pointer, and says what happened to it', () => {
    expect(replayAt(replay, 150, STEP_ROW + LINE + 3, stage)).toBe(shorter);
    expect(replayAt(replay, 200, STEP_ROW + 3, stage)).toBe(gone);
    expect(replayAt(replay, 500, STEP_ROW + 3, stage)).toBeNull();
    expect(replayTip(gone).text).toBe('Removed');
    expect(replayTip(shorter)).toMatchObject({
      text: '150\u202fµs',
      soft: '300\u202fµs recorded, 300\u202fµs earlier',
    });
    expect(replayTip(moved).soft).toBe('450\u202fµs earlier');
    expect(replayTip({ ...moved, count: 4 }).soft).toContain('3');
  });
});
