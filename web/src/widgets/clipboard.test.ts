// @vitest-environment happy-dom
// Files are saved under names that every file system takes, from the address that was asked for.
import { afterEach, expect, it, vi } from 'vitest';
import { fileName, openDownload } from './clipboard';

afterEach(() => vi.restoreAllMocks());

it('makes names of tags', () => {
  expect(fileName('train/loss: a*b', 'csv')).toBe('train_loss_a_b.csv');
  expect(fileName('été/損失', 'png')).toBe('été_損失.png');
  expect(fileName('x'.repeat(500), 'svg')).toHaveLength(124);
  expect(fileName('', 'json')).toBe('chart.json');
});

it('opens a download under its name', () => {
  const saved: [string, string][] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push([this.href, this.download]);
  });
  openDownload('https://example.org/a', 'a.csv');
  expect(saved).toEqual([['https://example.org/a', 'a.csv']]);
});
