// The table follows the question, and an answer that comes too late is dropped.
import { afterEach, expect, it, vi } from 'vitest';
import * as answers from './answers';
import { search } from './fixture';
import { TrialsData } from './trials-data.svelte';

afterEach(() => vi.restoreAllMocks());

it('shows the answer to the last question', async () => {
  let answer: (trials: answers.Trials) => void = () => undefined;
  const first = new Promise<answers.Trials>((resolve) => (answer = resolve));
  const second = { ...search(), sessions: [] };
  vi.spyOn(answers, 'fetchTrials').mockReturnValueOnce(first).mockResolvedValueOnce(second);
  const data = new TrialsData();
  const early = data.load({ reading: 'last' });
  await data.load({ reading: 'best' });
  answer(search());
  await early;
  expect(data.trials).toBe(second);
});

it('says what went wrong and keeps the table', async () => {
  const fetched = vi.spyOn(answers, 'fetchTrials').mockResolvedValueOnce(search());
  const data = new TrialsData();
  await data.load({});
  fetched.mockRejectedValueOnce(new Error('gone'));
  await data.load({});
  expect([data.problem, data.trials?.sessions.length]).toEqual(['gone', 6]);
});
