// Audio among the charts.
import type { CardKind } from '$web/cards/kinds';
import { library } from './library';
import SoundCard from './SoundCard.svelte';

export default {
  kind: 'audio',
  label: 'Audio',
  Card: SoundCard,
  follow: () => library.follow(),
} satisfies CardKind;
