// Asks the server for layouts, and has it keep the one made on the page.
import type { Category, LayoutAnswer } from '$api';
import { getJson, patchJson } from '$web/api/client';
import { addressOf } from '$web/api/routes';

export const fetchLayouts = (fold: boolean, signal: AbortSignal): Promise<LayoutAnswer> =>
  getJson(addressOf('custom_scalars/layout', { fold }), signal);

export async function keepLayout(categories: readonly Category[]): Promise<void> {
  await patchJson('custom_scalars/layout', { categories: [...categories] });
}
