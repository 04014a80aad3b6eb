// @vitest-environment happy-dom
// Words are as wide as a canvas says, and where there is none, as their letters suggest.
import { afterAll, beforeEach, expect, it, vi } from 'vitest';

beforeEach(() => vi.resetModules());
afterAll(() => {
  vi.restoreAllMocks();
  vi.resetModules();
});

async function measuredBy(context: object | null): Promise<(text: string) => number> {
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(context as never);
  return (await import('./text-width')).measureText;
}

it('asks a canvas with the font of the page', async () => {
  const pen = { font: '', measureText: (text: string) => ({ width: 5.5 * text.length }) };
  const measure = await measuredBy(pen);
  expect([measure('abcd'), measure('')]).toEqual([22, 0]);
  expect(pen.font).toMatch(/^12px /);
});

it('counts letters without one', async () => {
  const measure = await measuredBy(null);
  expect([measure('abcd'), measure('')]).toEqual([28, 0]);
});
