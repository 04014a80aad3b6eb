// The kinds of cards that may stand among the charts: one for each dashboard that has a file card-kind.ts beside its tab.
import type { Component } from 'svelte';
import { OnDemand } from '../widgets/on-demand.svelte';

export interface CardProps {
  run: string;
  tag: string;
  height: number;
  /** Whether the card says its tag. */
  titled?: boolean;
}

/** What draws the cards of a kind. */
export interface CardCode {
  /** Shows what one run logged under one tag, at the shared step or over all steps. */
  Card: Component<CardProps>;
  /** Keeps up with the folder while cards of the kind are on the page; called while a component is made. */
  follow?: () => void;
}

/** What a dashboard's card-kind.ts says: everything but its name comes with the first card. */
export interface DeclaredKind {
  /** As the list of tags calls it. */
  kind: string;
  label: string;
  load: () => Promise<CardCode>;
}

export interface CardKind {
  kind: string;
  label: string;
  code: OnDemand<CardCode>;
}

const found = import.meta.glob<{ default: DeclaredKind }>('../../../src/stepscope/dashboards/*/ui/card-kind.ts', {
  eager: true,
});

/** In the order of their labels. */
export const CARD_KINDS: readonly CardKind[] = Object.values(found)
  .map(({ default: { kind, label, load } }) => ({ kind, label, code: new OnDemand(load) }))
  .sort((a, b) => (a.label < b.label ? -1 : 1));

export function cardKindOf(kind: string): CardKind | undefined {
  return CARD_KINDS.find((one) => one.kind === kind);
}
