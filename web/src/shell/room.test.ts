// A window that becomes narrow or wide again, with the run list closed each time.
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it('follows the width of the window', async () => {
  let tell: (event: { matches: boolean }) => void = () => undefined;
  vi.stubGlobal('matchMedia', () => ({
    matches: true,
    addEventListener: (_name: string, listener: typeof tell) => (tell = listener),
  }));
  const { room } = await import('./room.svelte');
  expect(room.narrow).toBe(true);
  room.listOpen = true;
  tell({ matches: false });
  expect([room.narrow, room.listOpen]).toEqual([false, false]);
});

it('is wide where nobody can tell', async () => {
  vi.stubGlobal('matchMedia', undefined);
  const { room } = await import('./room.svelte');
  expect(room.narrow).toBe(false);
});
