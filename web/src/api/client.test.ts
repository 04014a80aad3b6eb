// @vitest-environment happy-dom
// Failures of the API become errors with a sentence to show.
import { afterEach, expect, it, vi } from 'vitest';
import { ApiError, askAhead, fetchFolder, isAbort, ServerUnreachable } from './client';
import { addressOf } from './routes';

afterEach(() => vi.unstubAllGlobals());

const answer = (status: number, body: string) =>
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(body, { status })));

it('passes on the sentence of an error', async () => {
  answer(404, JSON.stringify({ error: { code: 'unknown_run', message: 'Choose a run of the list.' } }));
  const error = await fetchFolder().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: 'unknown_run', status: 404, message: 'Choose a run of the list.' });
});

it('has a sentence when the error has another shape', async () => {
  answer(502, '<html>Bad gateway</html>');
  await expect(fetchFolder()).rejects.toThrow('status 502');
  answer(500, JSON.stringify({ error: { code: 7 } }));
  await expect(fetchFolder()).rejects.toThrow('status 500');
});

it('tells a silent server from a request that was given up', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  await expect(fetchFolder()).rejects.toBeInstanceOf(ServerUnreachable);
  vi.stubGlobal('fetch', () => Promise.reject(new DOMException('', 'AbortError')));
  const error = await fetchFolder().catch((caught: unknown) => caught);
  expect(isAbort(error)).toBe(true);
});

it('gives what was asked ahead once, to whoever asks first, and tells them what went wrong', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address);
    return Promise.resolve(new Response(JSON.stringify({ title: `answer ${asked.length}` })));
  });
  expect(await askAhead(addressOf('folder', {}))).toEqual({ title: 'answer 1' });
  expect(await fetchFolder()).toEqual({ title: 'answer 1' });
  expect(asked).toHaveLength(1);
  expect(await fetchFolder()).toEqual({ title: 'answer 2' });
  answer(500, '');
  await askAhead(addressOf('folder', {})).catch(() => undefined);
  await expect(fetchFolder()).rejects.toThrow('status 500');
});

it('forgets what was asked ahead and is not wanted soon', async () => {
  vi.useFakeTimers();
  let count = 0;
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify({ title: String((count += 1)) }))));
  await askAhead(addressOf('folder', {}));
  await vi.advanceTimersByTimeAsync(6000);
  vi.useRealTimers();
  expect(await fetchFolder()).toEqual({ title: '2' });
});
