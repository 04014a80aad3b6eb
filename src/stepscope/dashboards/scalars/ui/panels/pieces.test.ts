// @vitest-environment happy-dom
// Cards and form come together, when either is needed first.
import { expect, it } from 'vitest';
import { panelPieces } from './pieces';

// Both are compiled for it, which takes long on a busy machine.
it('fetches the cards and the form at once', { timeout: 60_000 }, async () => {
  await panelPieces.fetch();
  expect(panelPieces.failed).toBe(false);
  expect(Object.keys(panelPieces.value ?? {}).sort()).toEqual(['PanelCard', 'PanelForm']);
});
