// The worker says that it is there, and matches the tags that it was given last.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { matchTags } from './patterns';

const said: unknown[] = [];
const worker: { onmessage?: (event: { data: unknown }) => void; postMessage: (answer: unknown) => void } = {
  postMessage: (answer) => said.push(answer),
};

beforeAll(async () => {
  vi.stubGlobal('self', worker);
  await import('./pattern-worker');
});
afterAll(() => vi.unstubAllGlobals());

it('answers each pattern with what it matches', () => {
  const send = (data: unknown): void => worker.onmessage?.({ data });
  expect(said).toEqual(['ready']);
  send({ tags: ['loss/train', 'loss/validation', 'accuracy'] });
  expect(said).toHaveLength(1);
  send({ pattern: 'loss/.*' });
  expect(said[1]).toEqual(matchTags('loss/.*', ['loss/train', 'loss/validation', 'accuracy']));
  expect(JSON.stringify(said[1])).toContain('loss/validation');
  expect(JSON.stringify(said[1])).not.toContain('accuracy');
  send({ tags: ['accuracy'] });
  send({ pattern: 'a' });
  expect(JSON.stringify(said[2])).toContain('accuracy');
});
