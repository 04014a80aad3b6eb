// Histograms among the charts.
import type { DeclaredKind } from '$web/cards/kinds';

export default {
  kind: 'histogram',
  label: 'Histograms',
  load: async () => ({ Card: (await import('./HistogramCard.svelte')).default }),
} satisfies DeclaredKind;
