// At most one dialog is open, and none at first.
import { afterEach, expect, it } from 'vitest';
import { panels, type PanelName } from './panels.svelte';

afterEach(() => {
  panels.open = null;
});

it('has the dialog that was opened last', () => {
  expect(panels.open).toBeNull();
  const opened: PanelName[] = ['palette', 'help', 'health'];
  for (const name of opened) panels.open = name;
  expect(panels.open).toBe('health');
});
