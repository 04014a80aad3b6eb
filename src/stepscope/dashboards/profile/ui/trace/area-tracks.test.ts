// A selection counts the spans of the tracks that are drawn.
import { expect, it } from 'vitest';
import { areaTracks } from './area-tracks';
import type { TraceOutline } from './track-rows';

type Track = TraceOutline['tracks'][number];
const track = (id: number, more: Partial<Track> = {}) =>
  ({ id, role: 'thread', process: 'python', name: `thread ${id}`, number: id, ...more }) as Track;
const tracks = [
  track(1),
  track(2, { role: 'stream', process: 'GPU 0', name: 'stream 7' }),
  track(3, { role: 'counter' }),
];

it('takes threads and streams that are neither folded nor filtered out', () => {
  expect(areaTracks(tracks, { folded: [], tracks: '' })).toEqual([1, 2]);
  expect(areaTracks(tracks, { folded: ['p:python'], tracks: '' })).toEqual([2]);
  expect(areaTracks(tracks, { folded: [], tracks: 'STREAM' })).toEqual([2]);
  expect(
    areaTracks(
      Array.from({ length: 600 }, (_, id) => track(id)),
      { folded: [], tracks: '' },
    ),
  ).toHaveLength(500);
});
