// @vitest-environment happy-dom
// The newest text of each series, without those that have none or cannot be read.
import { afterEach, expect, it, vi } from 'vitest';
import { frameOf, refusal, serve } from '../api/fixture';
import { newestTexts } from './texts';

afterEach(() => vi.unstubAllGlobals());

const steps = { good: [1, 2, 9], broken: [4], none: [] as number[] };

it('asks for the last step of every series', async () => {
  const asked = serve(({ path }) => {
    if (path.startsWith('text/steps')) {
      const names = Object.keys(steps) as (keyof typeof steps)[];
      return frameOf(
        names.flatMap((name) => [steps[name], steps[name].map((step) => 100 + step)]),
        (places) => ({
          epoch: 1,
          series: names.map((tag, i) => ({
            run: 'a',
            tag,
            samples: 1,
            origin: 100,
            columns: { step: places[2 * i], wall: places[2 * i + 1] },
          })),
        }),
      );
    }
    return path.includes('broken') ? refusal('Cut short.') : JSON.stringify({ cells: ['first', 'second'] });
  });
  const series = Object.keys(steps).map((tag) => ({ run: 'a', tag }));
  const found = await newestTexts([...series, { run: 'gone', tag: 'good' }], true, new AbortController().signal);
  expect(found).toEqual([{ series: { run: 'a', tag: 'good' }, text: 'first\n\nsecond' }]);
  const values = asked.filter(({ path }) => path.startsWith('text/value')).map(({ path }) => path);
  expect(values).toHaveLength(2);
  expect(values[0]).toContain('step=9');
  expect(values[0]).toContain('wall=109');
});
