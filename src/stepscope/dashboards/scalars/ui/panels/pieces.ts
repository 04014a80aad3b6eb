// Fetches the charts that users add once, for whoever needs them first: a card or the form.
import { OnDemand } from '$web/widgets/on-demand.svelte';

export const panelPieces = new OnDemand(() => import('./cards'));
