// @vitest-environment happy-dom
// Cards and form come together, when either is needed first.
import { expect, it } from 'vitest';
import { panelPieces } from './pieces';

it('fetches the cards and the form at once', async () => {
  await panelPieces.fetch();
  expect(panelPieces.failed).toBe(false);
  expect(Object.keys(panelPieces.value ?? {}).sort()).toEqual(['PanelCard', 'PanelForm']);
});
