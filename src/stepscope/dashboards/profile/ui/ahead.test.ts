// @vitest-environment happy-dom
// What the tab asks for before its code is there: sessions for every view, tracks for the trace of one rank.
import { afterEach, expect, it, vi } from 'vitest';
import { defaultView } from '$web/state/view';
import ahead from './ahead';

afterEach(() => vi.unstubAllGlobals());

const sessions = [{ id: 'abc', run: 'r', has_steps: true, workers: [{ worker: 'rank0', problem: null }] }];

async function askedBy(shown: { show: string; stack?: 'ranks' }, found: unknown[] = sessions): Promise<string[]> {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address.replace(/^.*\/api\/v1\//, ''));
    return Promise.resolve(new Response(JSON.stringify({ sessions: found })));
  });
  const { profile } = defaultView();
  await ahead({ profile: { ...profile, ...shown } });
  return asked;
}

it('asks for sessions, and for the tracks of the one that the trace shows', async () => {
  expect(await askedBy({ show: 'ops' })).toEqual(['profile/sessions']);
  expect(await askedBy({ show: 'trace' })).toEqual([
    'profile/sessions',
    'profile/abc/tracks?worker=rank0&limit=2000&most_steps=2000',
  ]);
  expect(await askedBy({ show: 'trace', stack: 'ranks' })).toEqual(['profile/sessions']);
  expect(await askedBy({ show: 'trace' }, [])).toEqual(['profile/sessions']);
});
