// A query that runs is replaced or cancelled, and errors keep their place and the last answer.
import { expect, it } from 'vitest';
import type { QueryAnswer } from '$api';
import { ApiError } from '$web/api/client';
import type { Job } from '$web/api/jobs';
import { placeOf, QueryData } from './query-data.svelte';

const answer = (rows: number[][]) => ({ rows }) as unknown as QueryAnswer;
const job = (id: string) => ({ id }) as unknown as Job;

it('an error keeps the last answer and says where it is', async () => {
  const outcomes = [answer([[1]]), new ApiError('bad_query', 400, 'No.', 7)];
  const data = new QueryData(() => {
    const next = outcomes.shift();
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next as QueryAnswer);
  });
  await data.run('SELECT 1');
  await data.run('SELECT x');
  expect(data.answer?.rows).toEqual([[1]]);
  expect(data.problem).toEqual({ message: 'No.', position: 7, sql: 'SELECT x' });
  expect(data.running).toBe(false);
});

it('cancelling aborts the request, tells the server, and is no error', async () => {
  const stopped: string[] = [];
  const data = new QueryData(
    (_, told, signal) =>
      new Promise((_resolve, reject) => {
        told(job('j1'));
        signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
      }),
    (id) => Promise.resolve(stopped.push(id)),
  );
  const run = data.run('SELECT 1');
  expect(data.running).toBe(true);
  data.cancel();
  await run;
  expect([data.running, data.problem, data.answer, stopped]).toEqual([false, null, null, ['j1']]);
});

it('an older answer does not replace a newer one', async () => {
  const waiting: ((found: QueryAnswer) => void)[] = [];
  const data = new QueryData(
    () => new Promise((resolve) => waiting.push(resolve)),
    () => Promise.resolve(),
  );
  const runs = [data.run('a'), data.run('b')];
  waiting[1]?.(answer([[2]]));
  waiting[0]?.(answer([[1]]));
  await Promise.all(runs);
  expect(data.answer?.rows).toEqual([[2]]);
});

it.each([
  [0, 1, 1, 'ab'],
  [3, 2, 1, 'cde'],
  [5, 2, 3, 'cde'],
])('letter %d is at line %d, column %d', (position, line, column, text) => {
  expect(placeOf('ab\ncde', position)).toEqual({ line, column, text });
});
