// Tracks are laid out below their process; folded, pinned, filtered and deep ones take the room that they should.
import { describe, expect, it } from 'vitest';
import {
  COUNTER_HEIGHT,
  groupOf,
  heightOf,
  layOut,
  LINE,
  lineMiddle,
  PROCESS_HEIGHT,
  rowOf,
  rowsBetween,
  trackName,
  USUAL_LINES,
  type TraceTrack,
  type TrackChoices,
} from './track-rows';

const track = (id: number, process: string, lines: number, more: Partial<TraceTrack> = {}): TraceTrack => ({
  id,
  name: `track ${id}`,
  process,
  role: 'thread',
  purpose: 'unknown',
  number: String(id),
  lines,
  spans: 10,
  busy_us: 1,
  start_us: 0,
  end_us: 1,
  least: null,
  most: null,
  samples: 0,
  ...more,
});

const plain: TrackChoices = { folded: new Set(), opened: new Set(), pinned: [], order: [], filter: '' };
const tracks = [
  track(0, 'host', 3),
  track(1, 'host', 1),
  track(5, 'GPU 0', 1),
  track(6, 'GPU 0', 0, { role: 'counter' }),
];
const keys = (choices: Partial<TrackChoices>): string[] =>
  layOut(tracks, { ...plain, ...choices }).map(({ key }) => key);

describe('rows of tracks', () => {
  it('stand where they were moved to, inside of their process', () => {
    expect(keys({ order: [6, 1] })).toEqual(['p:host', 't:1', 't:0', 'p:GPU 0', 't:6', 't:5']);
  });

  it('stand below their process, one below the other', () => {
    const rows = layOut(tracks, plain);
    expect(rows.map(({ key }) => key)).toEqual(['p:host', 't:0', 't:1', 'p:GPU 0', 't:5', 't:6']);
    expect(rows.map(({ height }) => height)).toEqual([
      PROCESS_HEIGHT,
      3 * LINE + 4,
      LINE + 4,
      PROCESS_HEIGHT,
      LINE + 4,
      COUNTER_HEIGHT,
    ]);
    rows.slice(1).forEach((row, place) => {
      const above = rows[place];
      expect(row.y).toBe((above?.y ?? 0) + (above?.height ?? 0));
    });
    expect(heightOf(rows)).toBe(rows.reduce((sum, { height }) => sum + height, 0));
  });

  it('go away with a folded process, and a folded track keeps one line', () => {
    expect(keys({ folded: new Set(['p:host']) })).toEqual(['p:host', 'p:GPU 0', 't:5', 't:6']);
    const row = rowOf(layOut(tracks, { ...plain, folded: new Set(['t:0']) }), 0);
    expect([row?.lines, row?.more, row?.height]).toEqual([1, 2, LINE + 4]);
  });

  it("of the machine's own counters are one group, folded until it is opened or a filter finds them", () => {
    const system = [7, 8].map((id) => track(id, 'host', 0, { role: 'counter', name: `system/cpu/${id} percent` }));
    const shown = (choices: Partial<TrackChoices>): string[] =>
      layOut([...tracks, ...system], { ...plain, ...choices }).map(({ key }) => key);
    const others = ['p:host', 't:0', 't:1', 'p:GPU 0', 't:5', 't:6'];
    expect(shown({})).toEqual([...others, 'p:System']);
    expect(shown({ folded: new Set(['o:System']) })).toEqual([...others, 'p:System', 't:7', 't:8']);
    expect(shown({ filter: 'cpu/8' })).toEqual(['p:System', 't:8']);
    expect(shown({ pinned: [8] })[0]).toBe('t:8:pinned');
    expect(system.map(groupOf)).toEqual(['System', 'System']);
    expect(system.map(trackName)).toEqual(['cpu/7 percent', 'cpu/8 percent']);
    // A thread may be called anything.
    expect(groupOf(track(9, 'host', 1, { name: 'system/thread' }))).toBe('host');
  });

  it('are on top when they are pinned, once', () => {
    expect(keys({ pinned: [5] })).toEqual(['t:5:pinned', 'p:host', 't:0', 't:1', 'p:GPU 0', 't:6']);
  });

  it('are found by name, process and number', () => {
    expect(keys({ filter: 'gpu' })).toEqual(['p:GPU 0', 't:5', 't:6']);
    expect(keys({ filter: 'TRACK 1' })).toEqual(['p:host', 't:1']);
    expect(keys({ filter: 'nothing like it' })).toEqual([]);
  });

  it('of deep stacks show the first lines until they are opened', () => {
    const deep = [track(0, 'host', 80)];
    expect(rowOf(layOut(deep, plain), 0)).toMatchObject({ lines: USUAL_LINES, more: 80 - USUAL_LINES });
    expect(rowOf(layOut(deep, { ...plain, opened: new Set([0]) }), 0)).toMatchObject({ lines: 80, more: 0 });
  });

  it('that are on screen are found without looking at the others', () => {
    const many = layOut(
      Array.from({ length: 5000 }, (_, id) => track(id, 'host', 1)),
      plain,
    );
    const [top, bottom] = [30_000, 30_500];
    const found = rowsBetween(many, top, bottom);
    expect(found).toEqual(many.filter((row) => row.y + row.height > top && row.y < bottom));
    expect(found.length).toBeLessThan(30);
  });

  it('know where a line is, and a line that is not drawn is at the last one', () => {
    const row = rowOf(layOut(tracks, plain), 0);
    if (row === undefined) throw new Error('no row');
    expect(lineMiddle(row, 1)).toBe(row.y + LINE * 1.5);
    expect(lineMiddle(row, 40)).toBe(row.y + LINE * 2.5);
  });
});
