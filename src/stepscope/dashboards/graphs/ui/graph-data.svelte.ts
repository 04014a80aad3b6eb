// What the tab has of the server: the graphs of a source, and what is seen of one, laid out.
import { isAbort } from '$web/api/client';
import {
  fetchGraphs,
  followView,
  type GraphsAnswer,
  type GraphViewAnswer,
  type GraphViewRequest,
  type JobRow,
} from './answers';
import { layouter, type Layouter } from './elk';
import { elkGraphOf, placedOf, type Placed } from './layout';

/** A view and its layout belong together: rows are named by their places. */
export interface Shown {
  /** Of which graph. */
  key: string;
  view: GraphViewAnswer;
  placed: Placed;
}

const KEPT = 24;
const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What of a question changes where things are; the rest changes only how they look. */
const placeKey = ({ run, source, graph, open, series, aside, main }: GraphViewRequest): string =>
  JSON.stringify([run, source, graph, open, series, aside, main]);

export class GraphData {
  graphs = $state.raw<GraphsAnswer | null>(null);
  job = $state.raw<JobRow | null>(null);
  shown = $state.raw<Shown | null>(null);
  problem = $state.raw<string | null>(null);
  /** Whether a view is asked for or laid out. */
  busy = $state(false);
  private reading = new AbortController();
  private asking = new AbortController();
  private readonly layouts = new Map<string, Placed>();

  constructor(
    private readonly laidOutBy: Pick<Layouter, 'layOut' | 'start'> = layouter,
    private readonly server = { fetchGraphs, followView },
  ) {}

  async open(run: string, source: string): Promise<void> {
    this.reading.abort();
    this.asking.abort();
    this.reading = new AbortController();
    const { signal } = this.reading;
    [this.graphs, this.shown, this.problem, this.job] = [null, null, null, null];
    this.layouts.clear();
    this.laidOutBy.start();
    try {
      const graphs = await this.server.fetchGraphs(run, source, signal, (job) => (this.job = job));
      if (signal.aborted) return;
      [this.graphs, this.job] = [graphs, null];
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      [this.job, this.problem] = [null, wordsOf(error)];
    }
  }

  /** Shows another view of the same graph; the one before stays until it is there. */
  async see(asked: GraphViewRequest): Promise<void> {
    this.asking.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    [this.busy, this.problem] = [true, null];
    const key = JSON.stringify([asked.run, asked.source, asked.graph]);
    const show = async (view: GraphViewAnswer): Promise<void> => {
      const placed = await this.place(placeKey(asked), view);
      if (placed !== null && !signal.aborted) this.shown = { key, view, placed };
    };
    let last: Promise<void> = Promise.resolve();
    try {
      await this.server.followView(asked, signal, (view) => (last = show(view)));
      await last;
    } catch (error) {
      if (!isAbort(error) && !signal.aborted) this.problem = wordsOf(error);
    }
    if (!signal.aborted) this.busy = false;
  }

  private async place(key: string, view: GraphViewAnswer): Promise<Placed | null> {
    const known = this.layouts.get(key);
    // The same places; times and traces may be others.
    if (known !== undefined && known.rows.length === view.rows.length)
      return {
        ...known,
        rows: known.rows.map((placed) => ({ ...placed, row: view.rows[placed.index] ?? placed.row })),
      };
    const laid = await this.laidOutBy.layOut(elkGraphOf(view));
    if (laid === null) return null;
    const placed = placedOf(view, laid);
    this.layouts.set(key, placed);
    for (const old of this.layouts.keys()) {
      if (this.layouts.size <= KEPT) break;
      this.layouts.delete(old);
    }
    return placed;
  }

  close(): void {
    this.reading.abort();
    this.asking.abort();
  }
}
