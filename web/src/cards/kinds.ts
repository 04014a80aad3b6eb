// The kinds of cards that may stand among the charts: one for each dashboard that has a file card-kind.ts beside its tab.
import type { Component } from 'svelte';

export interface CardProps {
  run: string;
  tag: string;
  height: number;
  /** Whether the card says its tag. */
  titled?: boolean;
}

export interface CardKind {
  /** As the list of tags calls it. */
  kind: string;
  label: string;
  /** Shows what one run logged under one tag, at the shared step or over all steps. */
  Card: Component<CardProps>;
  /** Keeps up with the folder while cards of the kind are on the page; called while a component is made. */
  follow?: () => void;
}

const found = import.meta.glob<{ default: CardKind }>('../../../src/stepscope/dashboards/*/ui/card-kind.ts', {
  eager: true,
});

/** In the order of their labels. */
export const CARD_KINDS: readonly CardKind[] = Object.values(found)
  .map((module) => module.default)
  .sort((a, b) => (a.label < b.label ? -1 : 1));

export function cardKindOf(kind: string): CardKind | undefined {
  return CARD_KINDS.find((one) => one.kind === kind);
}
