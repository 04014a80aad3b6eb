// Positions are shown as they come; what was asked for before is given up, and stopping keeps what there is.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { fetchPoints, followLayout, JobRow, Laid, Points, stopLayout } from './answers';
import { ProjectorData } from './projector-data.svelte';

const server = {
  fetchPoints: vi.fn<typeof fetchPoints>(),
  followLayout: vi.fn<typeof followLayout>(),
  stopLayout: vi.fn<typeof stopLayout>(),
};
const named = { run: 'r', name: 'e', step: null };
const asked = { run: 'r', name: 'e' };
const job = { id: 'j', state: 'running' } as JobRow;
const points = (count: number): Points => ({ count }) as Points;
const laid = (iterations: number): Laid => ({ iterations }) as Laid;

beforeEach(() => void server.fetchPoints.mockResolvedValue(points(3)));
afterEach(() => vi.resetAllMocks());

it('shows positions while they are computed, and the end', async () => {
  const data = new ProjectorData(server);
  await data.open(named, false);
  const seen: [number | undefined, boolean][] = [];
  server.followLayout.mockImplementation((_, __, show) => {
    for (const [now, at] of [[laid(10), job] as const, [null, job] as const, [laid(20), null] as const]) {
      show(now, at);
      seen.push([data.laid?.iterations, data.job !== null]);
    }
    return Promise.resolve();
  });
  await data.layOut(asked);
  expect(seen).toEqual([
    [10, true],
    [10, true],
    [20, false],
  ]);
});

it('keeps what there is when it is stopped, and ends the job', async () => {
  const data = new ProjectorData(server);
  let show: (laid: Laid | null, job: JobRow | null) => void = () => undefined;
  server.followLayout.mockImplementation((_, __, shows) => {
    show = shows;
    return new Promise(() => undefined);
  });
  server.stopLayout.mockResolvedValue(job);
  void data.layOut(asked);
  show(laid(10), job);
  await data.stop();
  show(laid(99), null);
  expect([data.laid?.iterations, data.job, server.stopLayout.mock.calls]).toEqual([10, null, [[job]]]);
});

it('says why there is nothing, and forgets a layout of other points', async () => {
  const data = new ProjectorData(server);
  await data.open(named, false);
  server.followLayout.mockImplementation((_, __, show) => Promise.resolve(show(laid(1), null)));
  await data.layOut(asked);
  server.fetchPoints.mockResolvedValue(points(4));
  await data.open(named, true);
  expect([data.points?.count, data.laid]).toEqual([4, null]);
  server.fetchPoints.mockRejectedValue(new Error('no vectors'));
  await data.open(named, false);
  expect([data.points, data.problem]).toEqual([null, 'no vectors']);
  server.followLayout.mockRejectedValue(new Error('too few'));
  await data.layOut(asked);
  expect(data.problem).toBe('too few');
});
