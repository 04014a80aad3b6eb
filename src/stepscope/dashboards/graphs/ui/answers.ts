// Asks the server for graphs, what is seen of one, a node, matches, findings and differences.
import type {
  GraphCompareAnswer,
  GraphFinding,
  GraphFindingsRequest,
  GraphMatches,
  GraphRow,
  GraphsAnswer,
  GraphSourceRow,
  GraphSourcesAnswer,
  GraphViewAnswer,
  GraphViewEdge,
  GraphViewRequest,
  GraphViewRow,
  JobRow,
  NodeAnswer,
  NodeStep,
} from '$api';
import { getJson, postJson } from '$web/api/client';
import { addressOf } from '$web/api/routes';

export type {
  GraphCompareAnswer,
  GraphFinding,
  GraphMatches,
  GraphRow,
  GraphsAnswer,
  GraphSourceRow,
  GraphSourcesAnswer,
  GraphViewAnswer,
  GraphViewEdge,
  GraphViewRequest,
  GraphViewRow,
  JobRow,
  NodeAnswer,
  NodeStep,
};

/** One graph of one source. */
export type Named = Required<GraphFindingsRequest>;

/** The run of files that were uploaded. */
export const UPLOADED = 'upload';
const AGAIN_MS = 400;

export const fetchSources = (signal: AbortSignal): Promise<GraphSourcesAnswer> =>
  getJson(addressOf('graphs/sources', {}), signal);

/** Asks until the source has been read. */
export async function fetchGraphs(
  run: string,
  source: string,
  signal: AbortSignal,
  progress: (job: JobRow) => void,
): Promise<GraphsAnswer> {
  for (;;) {
    const answer = await getJson(addressOf('graphs/graphs', { run, source }), signal);
    if (answer.job === null) return answer;
    progress(answer.job);
  }
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** What is seen of a graph; shown first without times and memory while their profile is read. */
export async function followView(
  asked: GraphViewRequest,
  signal: AbortSignal,
  show: (answer: GraphViewAnswer) => void,
): Promise<void> {
  for (;;) {
    const answer = await postJson('graphs/view', asked, signal);
    if (signal.aborted) return;
    show(answer);
    if (!answer.reading) return;
    await pause(AGAIN_MS);
  }
}

/** Of a node or a scope, again while the profile is read. */
export async function fetchNode(
  named: Named,
  path: string,
  statistics: string,
  signal: AbortSignal,
): Promise<NodeAnswer> {
  for (;;) {
    const answer = await getJson(addressOf('graphs/node', { ...named, path, statistics }), signal);
    if (!answer.reading) return answer;
    await pause(AGAIN_MS);
  }
}

export const fetchMatches = (named: Named, words: string, signal: AbortSignal): Promise<GraphMatches> =>
  getJson(addressOf('graphs/search', { ...named, words, limit: 200 }), signal);

export const fetchFindings = async (named: Named, signal: AbortSignal): Promise<GraphFinding[]> =>
  (await getJson(addressOf('graphs/findings', { ...named }), signal)).findings;

export const fetchComparison = (named: Named, against: Named, signal: AbortSignal): Promise<GraphCompareAnswer> =>
  getJson(
    addressOf('graphs/compare', {
      ...named,
      against_run: against.run,
      against_source: against.source,
      against_graph: against.graph,
    }),
    signal,
  );

const PART = 3 << 20;

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
}

/** Sends a file in parts, and answers the source that it is. */
export async function upload(file: File, progress: (share: number) => void): Promise<string> {
  let name = '';
  for (let from = 0; from === 0 || from < file.size; from += PART) {
    const last = from + PART >= file.size;
    const data = base64Of(new Uint8Array(await file.slice(from, from + PART).arrayBuffer()));
    const answer = await postJson('graphs/upload', { upload: name, data, last, name: file.name });
    name = answer.upload;
    progress(Math.min(1, (from + PART) / Math.max(1, file.size)));
  }
  return name;
}
