// One graph at a time goes to the worker, the newest waits, and one that never ends is given up.
import { expect, test, vi } from 'vitest';
import { Layouter, TooLong, type ElkGraph, type Laying } from './elk';

class Fake implements Laying {
  onmessage: Laying['onmessage'] = null;
  onerror: Laying['onerror'] = null;
  sent: { id: number; cmd: string; graph?: ElkGraph }[] = [];
  ended = false;
  postMessage(message: unknown): void {
    this.sent.push(message as Fake['sent'][number]);
  }
  terminate(): void {
    this.ended = true;
  }
  answer(graph: ElkGraph | null): void {
    const { id } = this.sent[this.sent.length - 1];
    this.onmessage?.({ data: graph === null ? { id, error: {} } : { id, data: graph } } as never);
  }
}

const graph = (id: string): ElkGraph => ({ id, edges: [] });

test('of graphs that wait only the newest is laid out', async () => {
  const fake = new Fake();
  const layouter = new Layouter(() => fake);
  const [one, two, three] = ['1', '2', '3'].map((id) => layouter.layOut(graph(id)));
  expect(await two).toBeNull();
  fake.answer(graph('first'));
  expect((await one)?.id).toBe('first');
  fake.answer(graph('last'));
  expect((await three)?.id).toBe('last');
  expect(fake.sent.map(({ graph }) => graph?.id)).toEqual([undefined, '1', '3']);
});

test('a failure is said, and what takes too long gets a new worker', async () => {
  vi.useFakeTimers();
  const made: Fake[] = [];
  const layouter = new Layouter(() => made[made.push(new Fake()) - 1], 1000);
  const failed = layouter.layOut(graph('bad'));
  made[0].answer(null);
  await expect(failed).rejects.toThrow();
  const slow = layouter.layOut(graph('slow'));
  const next = layouter.layOut(graph('next'));
  vi.advanceTimersByTime(1001);
  await expect(slow).rejects.toBeInstanceOf(TooLong);
  expect(made[0].ended).toBe(true);
  made[1].answer(graph('done'));
  expect((await next)?.id).toBe('done');
  vi.useRealTimers();
});
