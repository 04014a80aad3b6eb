// Images among the charts.
import type { CardKind } from '$web/cards/kinds';
import ImageCard from './ImageCard.svelte';
import { library } from './library';

export default {
  kind: 'image',
  label: 'Images',
  Card: ImageCard,
  follow: () => library.follow(),
} satisfies CardKind;
