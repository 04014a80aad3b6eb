// The lines of the tree of compiled operations, and the words of their table.
import { describe, expect, it } from 'vitest';
import type { HloTreeNode } from '$api';
import { boundText, doubtText } from './hlo-columns';
import { treeLines } from './hlo-tree';

function node(depth: number, kind: HloTreeNode['kind'], name: string): HloTreeNode {
  const unknown = { time_us: null, share: null, wasted_us: null, flops: null, bytes: null };
  return {
    depth,
    kind,
    name,
    program: 'p',
    text: '',
    worker: 'w',
    host: '',
    rank: null,
    count: 1,
    ...unknown,
    flops_share_of_peak: null,
    bandwidth_share_of_peak: null,
    bound_by: '',
  };
}

const TREE = [
  node(0, 'program', 'p'),
  node(1, 'category', 'fusion'),
  node(2, 'op', 'fusion.1'),
  node(3, 'inside', 'add'),
  node(2, 'op', 'fusion.2'),
  node(0, 'program', 'q'),
];

describe('the tree of compiled operations', () => {
  it('opens down to operations at first', () => {
    const lines = treeLines(TREE, new Set());
    expect(lines.map(({ node: { name }, open }) => [name, open])).toEqual([
      ['p', true],
      ['fusion', true],
      ['fusion.1', false],
      ['fusion.2', undefined],
      ['q', undefined],
    ]);
  });

  it('opens and closes what is turned', () => {
    expect(treeLines(TREE, new Set([2])).map(({ node: { name } }) => name)).toContain('add');
    expect(treeLines(TREE, new Set([0])).map(({ node: { name } }) => name)).toEqual(['p', 'q']);
  });
});

describe('words of the table', () => {
  it('marks a peak that is exceeded', () => {
    expect(boundText({ bound_by: 'memory', implausible_peak: true })).toBe('memory !');
    expect(boundText({ bound_by: '' })).toBe('–');
  });

  it('says what is not certain', () => {
    expect(doubtText(['estimated', 'loop'])).toBe(`${doubtText(['estimated'])}; ${doubtText(['loop'])}`);
    expect(new Set(['estimated', 'loop', 'unknown', 'else'].map((doubt) => doubtText([doubt]))).size).toBe(4);
  });
});
