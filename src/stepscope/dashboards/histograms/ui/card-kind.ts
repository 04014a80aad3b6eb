// Histograms among the charts.
import type { CardKind } from '$web/cards/kinds';
import HistogramCard from './HistogramCard.svelte';

export default { kind: 'histogram', label: 'Histograms', Card: HistogramCard } satisfies CardKind;
