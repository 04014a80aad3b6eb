// While a page is printed it is as wide as a sheet, sharp and light; afterwards it is as it was.
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { shownTheme } from './choices.svelte';
import { paper } from './paper.svelte';

it('knows that the page is being printed', () => {
  shownTheme.current = 'dark';
  expect([paper.width, paper.pixelRatio]).toEqual([null, undefined]);
  window.dispatchEvent(new Event('beforeprint'));
  expect(paper.width).toBeGreaterThan(600);
  expect(paper.pixelRatio).toBeGreaterThan(1);
  expect(shownTheme.current).toBe('light');
  window.dispatchEvent(new Event('afterprint'));
  expect([paper.width, paper.pixelRatio]).toEqual([null, undefined]);
});
