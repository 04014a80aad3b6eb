// Rows and edges for tests, with only what a test cares about.
import type { GraphViewAnswer, GraphViewEdge, GraphViewRow } from './answers';

export function rowOf(changes: Partial<GraphViewRow> & { path: string }): GraphViewRow {
  const { path } = changes;
  const kind = changes.kind ?? (path.endsWith('/') ? 'scope' : 'node');
  return {
    kind,
    name: path.replace(/\/$/, '').split('/').at(-1) ?? path,
    parent: null,
    open: false,
    op: kind === 'node' ? 'Add' : '',
    nodes: 1,
    members: null,
    series: null,
    structure: '',
    aside: false,
    calls: [],
    shape: '',
    dtype: '',
    devices: [],
    clusters: [],
    us: null,
    bytes: null,
    with_time: null,
    with_memory: null,
    traced: null,
    reasons: [],
    ...changes,
  };
}

export const edgeOf = (source: number, target: number, changes: Partial<GraphViewEdge> = {}): GraphViewEdge => ({
  source,
  target,
  tensors: 1,
  control: 0,
  shapes: ['float32 [2]'],
  more_shapes: 0,
  ...changes,
});

export const viewOf = (rows: GraphViewRow[], edges: GraphViewEdge[] = []): GraphViewAnswer => ({
  rows,
  edges,
  cut: false,
  reading: false,
  most_us: null,
  most_bytes: null,
});
