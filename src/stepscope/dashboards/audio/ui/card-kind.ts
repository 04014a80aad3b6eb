// Audio among the charts.
import type { DeclaredKind } from '$web/cards/kinds';

export default {
  kind: 'audio',
  label: 'Audio',
  load: async () => {
    const [{ default: Card }, { library }] = await Promise.all([import('./SoundCard.svelte'), import('./library')]);
    return { Card, follow: () => library.follow() };
  },
} satisfies DeclaredKind;
