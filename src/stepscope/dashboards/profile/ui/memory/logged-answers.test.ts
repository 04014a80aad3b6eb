// @vitest-environment happy-dom
// Logged memory is asked for by run, marked by series, and said in one sentence.
import { afterEach, expect, it, vi } from 'vitest';
import { serve } from '$web/api/fixture';
import { fetchLoggedMemory, loggedMemorySays, markMemory } from './logged-answers';

afterEach(() => vi.unstubAllGlobals());
const signal = new AbortController().signal;

it('asks for a run, and marks one of its series', async () => {
  const asked = serve(() => JSON.stringify({ sentence: '', runs: [], run: '' }));
  await fetchLoggedMemory('a1', signal);
  await markMemory('a1', 'cuda/gb', 'GB');
  await markMemory('a1', 'cuda/gb', null);
  expect(asked.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['GET', 'profile/memory/logged?run=a1', undefined],
    ['PATCH', 'profile/memory/marks', { run: 'a1', tag: 'cuda/gb', unit: 'GB' }],
    ['PATCH', 'profile/memory/marks', { run: 'a1', tag: 'cuda/gb', unit: null }],
  ]);
});

it.each([
  [{ sentence: '', runs: [], run: '' }, null],
  [{ sentence: 'It grows.', runs: [{ id: 'a1', name: 'first' }], run: 'a1' }, 'It grows.'],
  [
    {
      sentence: 'It grows.',
      runs: [
        { id: 'a1', name: 'first' },
        { id: 'b2', name: 'second' },
      ],
      run: 'b2',
    },
    'second: It grows.',
  ],
])('says the sentence, with the name of the run where there are several', async (answer, said) => {
  serve(() => JSON.stringify(answer));
  expect(await loggedMemorySays(signal)).toBe(said);
});
