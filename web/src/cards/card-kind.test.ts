// @vitest-environment happy-dom
// Every dashboard that has cards among the charts says its kind and loads what draws them.
import { describe, expect, it } from 'vitest';
import type { DeclaredKind } from './kinds';

const declared = import.meta.glob<{ default: DeclaredKind }>('/src/stepscope/dashboards/*/ui/card-kind.ts', {
  eager: true,
});
const kinds = Object.values(declared).map((module) => module.default);

it('has a name and a label of its own', () => {
  expect(kinds.map(({ kind }) => kind).sort()).toEqual(['audio', 'histogram', 'image', 'text']);
  expect(new Set(kinds.map(({ label }) => label)).size).toBe(kinds.length);
});

describe.each(kinds.map((kind) => [kind.kind, kind] as const))('%s', (name, { load }) => {
  it('loads its card, and keeps up with its own values', async () => {
    const { Card, follow } = await load();
    expect(typeof Card).toBe('function');
    expect(follow === undefined).toBe(name === 'histogram');
    // The components are compiled for this, which may take a while on a busy machine.
  }, 60_000);
});
