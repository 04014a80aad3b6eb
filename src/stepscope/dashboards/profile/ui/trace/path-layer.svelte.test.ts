// @vitest-environment happy-dom
// Slack reads as a value; it is asked for once a span, and only while the path is shown.
import { flushSync } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serve } from '$web/api/fixture';
import { view } from '$web/state/choices.svelte';
import { defaultView } from '$web/state/view';
import { PathLayer, slackFact } from './path-layer.svelte';

beforeEach(() => Object.assign(view, defaultView()));
afterEach(() => {
  Object.assign(view, defaultView());
  vi.unstubAllGlobals();
});

const slack = (on_path_us: number, slack_us: number | null) => ({ range: null, row: 7, on_path_us, slack_us });

describe('slack', () => {
  it('is a time, nothing on the path, or unknown', () => {
    expect(slackFact(slack(0, 15_000))).toBe('15\u202fms');
    expect(slackFact(slack(0, 0))).toBe('0');
    expect(slackFact(slack(4000, 0))).toBe('0, on the critical path for 4\u202fms');
    expect(slackFact(slack(0, null))).toBe('unknown');
  });
});

describe('the layer', () => {
  it('asks for the path of the window and for slack, while it is shown', async () => {
    const asked = serve(({ path }) =>
      JSON.stringify({
        reading: null,
        answer: path.includes('slack')
          ? slack(0, 5000)
          : { range: null, worker: 'w', note: 'No path.', rows: [], total: 0 },
      }),
    );
    let layer: PathLayer | undefined;
    const stop = $effect.root(() => {
      layer = new PathLayer(
        () => ({ session: 's', worker: 'w', steps: '' }),
        () => view.profile.window ?? [0, 10_000],
      );
    });
    flushSync();
    layer?.want(7);
    expect(asked).toEqual([]);
    view.profile.path = true;
    view.profile.window = [2000, 3000];
    flushSync();
    await vi.waitFor(() => expect(layer?.note).toBe('No path.'));
    expect(asked[0]?.path).toContain('start_us=1000');
    expect(asked[0]?.path).toContain('end_us=4000');
    layer?.want(7);
    await vi.waitFor(() => expect(layer?.slackOf(7)?.slack_us).toBe(5000));
    layer?.want(7);
    view.profile.path = false;
    flushSync();
    expect(layer?.slackOf(7)).toBeNull();
    expect(layer?.note).toBe('');
    stop();
    expect(asked).toHaveLength(2);
  });
});
