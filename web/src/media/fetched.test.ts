// A fetched value is kept until the next has come, and one that comes too late is not shown.
import { expect, it } from 'vitest';
import { Fetched } from './fetched.svelte';

interface Waiting {
  promise: Promise<string>;
  resolve: (value: string) => void;
  reject: (reason: unknown) => void;
}

function later(): Waiting {
  let resolve: Waiting['resolve'] = () => undefined;
  let reject: Waiting['reject'] = () => undefined;
  const promise = new Promise<string>((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}

it('shows a value when it comes, and the old one until then', async () => {
  const shown = new Fetched<string>();
  const [first, second] = [later(), later()];
  shown.follow(() => first.promise);
  expect([shown.value, shown.waiting]).toEqual([null, true]);
  first.resolve('old');
  await first.promise;
  expect([shown.value, shown.problem, shown.waiting]).toEqual(['old', null, false]);
  shown.follow(() => second.promise);
  expect([shown.value, shown.waiting]).toEqual(['old', true]);
  second.resolve('new');
  await second.promise;
  expect([shown.value, shown.waiting]).toEqual(['new', false]);
});

it('leaves out what comes after it was stopped', async () => {
  const shown = new Fetched<string>();
  const slow = later();
  let signal: AbortSignal | undefined;
  const stop = shown.follow((given) => {
    signal = given;
    return slow.promise;
  });
  stop();
  expect(signal?.aborted).toBe(true);
  slow.resolve('late');
  await slow.promise;
  expect(shown.value).toBeNull();
});

it('says why there is none, unless it was stopped', async () => {
  const shown = new Fetched<string>();
  for (const [reason, problem] of [
    [new Error('gone'), 'gone'],
    ['plain', 'plain'],
  ] as const) {
    shown.follow(() => Promise.reject(reason as Error));
    await new Promise((resolve) => setTimeout(resolve));
    expect([shown.value, shown.problem, shown.waiting]).toEqual([null, problem, false]);
  }
  shown.follow(() => Promise.reject(new DOMException('', 'AbortError')));
  await new Promise((resolve) => setTimeout(resolve));
  expect(shown.problem).toBe('plain');
});
