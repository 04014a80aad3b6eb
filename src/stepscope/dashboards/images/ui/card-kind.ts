// Images among the charts.
import type { DeclaredKind } from '$web/cards/kinds';

export default {
  kind: 'image',
  label: 'Images',
  load: async () => {
    const [{ default: Card }, { library }] = await Promise.all([import('./ImageCard.svelte'), import('./library')]);
    return { Card, follow: () => library.follow() };
  },
} satisfies DeclaredKind;
