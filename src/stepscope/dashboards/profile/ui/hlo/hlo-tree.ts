// The tree of compiled operations as lines: which are open, and which are seen.
import type { HloTreeNode } from '$api';

export interface TreeLine {
  node: HloTreeNode;
  /** Place in the whole tree, by which it is opened. */
  place: number;
  /** undefined where there is nothing below. */
  open: boolean | undefined;
}

/** Programs and categories are open until somebody closes them, operations closed. */
export function opensAtFirst(node: HloTreeNode): boolean {
  return node.kind === 'program' || node.kind === 'category';
}

/** The lines whose parents are all open; `turned` are places that are not as at first. */
export function treeLines(nodes: readonly HloTreeNode[], turned: ReadonlySet<number>): TreeLine[] {
  const lines: TreeLine[] = [];
  let closed = Infinity;
  nodes.forEach((node, place) => {
    if (node.depth > closed) return;
    closed = Infinity;
    const parent = (nodes[place + 1]?.depth ?? 0) > node.depth;
    const open = opensAtFirst(node) !== turned.has(place);
    lines.push({ node, place, open: parent ? open : undefined });
    if (parent && !open) closed = node.depth;
  });
  return lines;
}
