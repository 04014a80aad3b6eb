// Text among the charts.
import type { DeclaredKind } from '$web/cards/kinds';

export default {
  kind: 'text',
  label: 'Text',
  load: async () => {
    const [{ default: Card }, { library }] = await Promise.all([import('./TextCard.svelte'), import('./library')]);
    return { Card, follow: () => library.follow() };
  },
} satisfies DeclaredKind;
