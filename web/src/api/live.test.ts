// The live feed hands on events, notices silence and errors, and waits longer after each failure.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveFeed, type Connection, type EventStream } from './live';

class FakeStream implements EventStream {
  readonly listeners = new Map<string, (event: { data?: unknown }) => void>();
  closed = false;
  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void {
    this.listeners.set(type, listener);
  }
  close(): void {
    this.closed = true;
  }
  emit(type: string, data?: object): void {
    this.listeners.get(type)?.({ data: JSON.stringify(data) });
  }
}

function setUp() {
  const streams: FakeStream[] = [];
  const states: Connection[] = [];
  const epochs: number[] = [];
  const told: number[] = [];
  const feed = new LiveFeed(
    () => {
      const stream = new FakeStream();
      streams.push(stream);
      return stream;
    },
    {
      hello: (folder) => epochs.push(folder.epoch),
      delta: (delta) => epochs.push(delta.epoch),
      jobs: (jobs) => told.push(jobs.length),
      connection: (connection) => states.push(connection),
    },
  );
  feed.connect();
  return { feed, streams, states, epochs, told, last: () => streams[streams.length - 1] as FakeStream };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('LiveFeed', () => {
  it('hands on hello, deltas and jobs', () => {
    const { last, epochs, states, told } = setUp();
    last().emit('jobs', { jobs: [{}, {}] });
    expect(told).toEqual([2]);
    last().emit('hello', { epoch: 3 });
    last().emit('delta', { epoch: 4 });
    expect(epochs).toEqual([3, 4]);
    expect(states.map((one) => one.state)).toEqual(['connecting', 'open']);
  });

  it('says when it will try again, and waits longer each time', () => {
    const { last, streams, states } = setUp();
    const waits: number[] = [];
    for (let round = 0; round < 6; round++) {
      last().emit('error');
      const state = states[states.length - 1];
      if (state?.state !== 'gone') throw new Error('expected to be told that the server is gone');
      waits.push((state.retryAt - Date.now()) / 1000);
      vi.advanceTimersByTime(state.retryAt - Date.now());
    }
    expect(waits).toEqual([1, 2, 4, 8, 15, 15]);
    expect(streams).toHaveLength(7);
    last().emit('hello', { epoch: 1 });
    last().emit('error');
    expect(states[states.length - 1]).toEqual({ state: 'gone', retryAt: Date.now() + 1000 });
  });

  it('takes long silence for a dead connection, unless pings come', () => {
    const { last, states } = setUp();
    last().emit('hello', { epoch: 1 });
    vi.advanceTimersByTime(35_000);
    last().emit('ping');
    vi.advanceTimersByTime(35_000);
    expect(states[states.length - 1]?.state).toBe('open');
    vi.advanceTimersByTime(5_500);
    expect(states[states.length - 1]?.state).toBe('gone');
    expect(last().closed).toBe(true);
  });

  it('stays silent after disconnect', () => {
    const { feed, streams } = setUp();
    feed.disconnect();
    vi.advanceTimersByTime(120_000);
    expect(streams).toHaveLength(1);
  });
});
