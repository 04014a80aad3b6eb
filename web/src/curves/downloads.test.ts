// @vitest-environment happy-dom
// A chart is saved as a picture of itself, and its points as a table that the server makes.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { refusal, serve } from '../api/fixture';
import type { ChartHandle } from '../charts/types';
import { messages } from '../state/messages.svelte';
import type { MenuItem } from '../widgets/Menu.svelte';
import { downloadItems } from './downloads';

const saved: { name: string; address: string }[] = [];
const blobs: Blob[] = [];
const chart = {
  exportPNG: (title: string) => Promise.resolve(new Blob([`png ${title}`], { type: 'image/png' })),
  exportSVG: (title: string) => `<svg>${title}</svg>`,
} as unknown as ChartHandle;

beforeEach(() => {
  vi.useFakeTimers();
  saved.length = blobs.length = 0;
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push({ name: this.download, address: this.href });
  });
  vi.stubGlobal(
    'URL',
    Object.assign(URL, {
      createObjectURL: (blob: Blob) => `blob:${blobs.push(blob)}`,
      revokeObjectURL: () => undefined,
    }),
  );
});
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const series = [{ run: '0123456789ab', tag: 'loss' }];
async function choose(label: string, items = downloadItems(chart, 'Loss', 'loss/train', series)): Promise<void> {
  items
    .filter((item) => 'action' in item)
    .find((item) => item.label === label)
    ?.action();
  await vi.advanceTimersByTimeAsync(0);
}

it('saves pictures under names that every file system takes', async () => {
  await choose('Download PNG');
  await choose('Download SVG');
  expect(saved.map(({ name }) => name)).toEqual(['loss_train.png', 'loss_train.svg']);
  expect(blobs.map(({ type }) => type)).toEqual(['image/png', 'image/svg+xml']);
  expect(await blobs[1]?.text()).toBe('<svg>Loss</svg>');
});

it('has the server make tables of all points', async () => {
  const job = {
    id: 'j',
    title: '',
    state: 'done',
    done: 1,
    total: 1,
    unit: '',
    words: '',
    created: 0,
    finished: 0,
    error: null,
  };
  const asked = serve(() => JSON.stringify({ ...job, result_at: 'jobs/j/result' }));
  await choose('Download CSV');
  await choose('Download JSON');
  expect(asked.map(({ body, path }) => JSON.stringify(body ?? path)).map((text) => /csv|json/.exec(text)?.[0])).toEqual(
    ['csv', 'json'],
  );
  expect(asked[0] && JSON.stringify(asked[0])).toContain('loss');
  expect(saved.map(({ name }) => name)).toEqual(['loss_train.csv', 'loss_train.json']);
  expect(saved[0]?.address).toContain('jobs/j/result');
});

it('has no table of nothing', () => {
  const disabled = (item: MenuItem): boolean => 'disabled' in item && item.disabled === true;
  expect(downloadItems(chart, 'Loss', 'loss', []).map(disabled)).toEqual([false, false, true, true]);
  expect(downloadItems(chart, 'Loss', 'loss', series).map(disabled)).toEqual([false, false, false, false]);
});

it('says when it could not', async () => {
  const fail = vi.spyOn(messages, 'fail').mockImplementation(() => undefined);
  const broken = { ...chart, exportPNG: () => Promise.reject(new Error('No canvas.')) } as unknown as ChartHandle;
  await choose('Download PNG', downloadItems(broken, 'Loss', 'loss', series));
  serve(() => refusal('No disk.'));
  await choose('Download CSV');
  expect(fail.mock.calls.map(([error]) => String(error))).toEqual(['Error: No canvas.', 'Error: No disk.']);
  await choose('Download SVG', downloadItems(undefined, 'Loss', 'loss', series));
  expect(saved).toEqual([]);
});
