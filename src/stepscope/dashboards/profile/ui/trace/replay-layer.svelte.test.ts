// @vitest-environment happy-dom
// The replay is asked for while the address names changes, and says why there is none.
import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serve } from '$web/api/fixture';
import { view } from '$web/state/choices.svelte';
import { defaultView } from '$web/state/view';
import { ReplayLayer } from './replay-layer.svelte';

beforeEach(() => Object.assign(view, defaultView()));
afterEach(() => {
  Object.assign(view, defaultView());
  vi.unstubAllGlobals();
});

it('changes of the address are replayed in the window and around it', async () => {
  const asked = serve(() =>
    JSON.stringify({ reading: null, answer: { refused: 'No device.', items: [], tracks: [] } }),
  );
  let layer: ReplayLayer | undefined;
  const stop = $effect.root(() => {
    layer = new ReplayLayer(
      () => ({ session: 's', worker: 'w', steps: '' }),
      () => view.profile.window ?? [0, 10_000],
    );
  });
  flushSync();
  expect([asked.length, layer?.found, layer?.problem]).toEqual([0, null, '']);
  Object.assign(view.profile, { replay: 'kernels=0.5', alignAt: 3, window: [2000, 3000] });
  flushSync();
  await vi.waitFor(() => expect(layer?.problem).toBe('No device.'));
  for (const word of ['changes=kernels=0.5', 'align=3', 'start_us=1000', 'end_us=4000', 'follow=w'])
    expect(asked[0]?.path).toContain(word);
  view.profile.replay = '';
  flushSync();
  expect([layer?.found, layer?.problem]).toEqual([null, '']);
  stop();
});
