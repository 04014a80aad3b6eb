// Text among the charts.
import type { CardKind } from '$web/cards/kinds';
import { library } from './library';
import TextCard from './TextCard.svelte';

export default {
  kind: 'text',
  label: 'Text',
  Card: TextCard,
  follow: () => library.follow(),
} satisfies CardKind;
