// A view is laid out once, however often its times change; what was asked for before is given up.
// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import type { fetchGraphs, followView } from './answers';
import type { ElkGraph, ElkNode } from './elk';
import { edgeOf, rowOf, viewOf } from './fixture';
import { GraphData } from './graph-data.svelte';

const server = { fetchGraphs: vi.fn<typeof fetchGraphs>(), followView: vi.fn<typeof followView>() };
afterEach(() => vi.resetAllMocks());

const asked = { run: 'r', source: 's', graph: '', open: [], series: [], aside: [], main: [] };
const view = viewOf([rowOf({ path: 'a' }), rowOf({ path: 'b' })], [edgeOf(0, 1)]);

function laying(): { layOut: (graph: ElkGraph) => Promise<ElkGraph>; start: () => void; times: number } {
  const made = {
    times: 0,
    start: () => undefined,
    layOut: (graph: ElkGraph) => {
      made.times += 1;
      const place = (node: ElkNode, y: number): ElkNode => ({ ...node, x: 0, y });
      return Promise.resolve({ ...graph, children: graph.children?.map((node, i) => place(node, 100 * i)) });
    },
  };
  return made;
}
const answering = (...views: (typeof view)[]): void =>
  void server.followView.mockImplementation((_, __, show) => {
    for (const one of views) show(one);
    return Promise.resolve();
  });

it('lays a view out once, and shows new times in the same places', async () => {
  const elk = laying();
  const data = new GraphData(elk, server);
  answering(view);
  await data.see(asked);
  expect(data.shown?.placed.rows.map(({ y }) => y)).toEqual([0, 100]);
  answering({ ...view, rows: view.rows.map((row) => ({ ...row, us: 5 })), most_us: 5 });
  await data.see({ ...asked, statistics: 'p' });
  expect(elk.times).toBe(1);
  expect(data.shown?.placed.rows[1]?.row.us).toBe(5);
  expect(data.busy).toBe(false);
});

it('says what went wrong, and keeps the picture', async () => {
  const data = new GraphData(laying(), server);
  answering(view);
  await data.see(asked);
  server.followView.mockRejectedValue(new Error('The graph is gone.'));
  await data.see({ ...asked, open: ['a/'] });
  expect([data.problem, data.shown?.view]).toEqual(['The graph is gone.', view]);
  server.fetchGraphs.mockRejectedValue(new Error('Not a graph.'));
  await data.open('r', 'other');
  expect([data.problem, data.shown]).toEqual(['Not a graph.', null]);
});

it('shows the newest question alone', async () => {
  const data = new GraphData(laying(), server);
  let first: (answer: typeof view) => void = () => undefined;
  server.followView.mockImplementationOnce((_, __, show) => {
    first = show;
    return new Promise(() => undefined);
  });
  void data.see(asked);
  answering(viewOf([rowOf({ path: 'new' })]));
  await data.see({ ...asked, graph: 'g' });
  first(view);
  await Promise.resolve();
  expect(data.shown?.view.rows.map(({ path }) => path)).toEqual(['new']);
});
