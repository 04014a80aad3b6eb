// Asks the server for embeddings, their points and layouts; what takes long is asked again until it is done.
import type {
  EmbeddingRow,
  EmbeddingsAnswer,
  JobRow,
  LayoutHeader,
  LayoutRequest,
  NeighbourRow,
  PointsHeader,
  PointsRequest,
  ScoresAnswer,
} from '$api';
import { apiAddress, getFrame, getJson, postForFrame, postJson } from '$web/api/client';
import type { Frame } from '$web/api/frame';
import { cancelJob, isOver } from '$web/api/jobs';
import { addressOf } from '$web/api/routes';
import type { Metric } from './projector-view';

/** A column of metadata: the text of every point, and a number or class where it has them. */
export interface Column {
  name: string;
  kind: 'classes' | 'texts';
  classes: readonly string[];
  codes: Int32Array;
  numbers: Float64Array | null;
  textOf(point: number): string;
}

export interface Points {
  count: number;
  total: number;
  dimensions: number;
  sprite: { width: number; height: number } | null;
  notices: readonly string[];
  columns: readonly Column[];
  /** Row of the file that each point is. */
  rows: Int32Array;
}

export interface Laid {
  components: number;
  positions: Float32Array;
  /** Which point each is; null when all are in order. */
  points: Int32Array | null;
  variance: readonly number[];
  iterations: number;
  notices: readonly string[];
}

export const fetchEmbeddings = (signal: AbortSignal): Promise<EmbeddingsAnswer> =>
  getJson(addressOf('projector/embeddings', {}), signal);

export type { EmbeddingRow, JobRow };

export async function fetchPoints(
  named: PointsRequest,
  signal: AbortSignal,
  progress: (job: JobRow) => void,
): Promise<Points> {
  let frame = await getFrame(addressOf('projector/points', { ...named }), signal);
  while (frame.header.job !== null) {
    progress(frame.header.job);
    frame = await getFrame(addressOf('projector/points/{id}', { id: frame.header.job.id }), signal);
  }
  return pointsOf(frame);
}

export function pointsOf(frame: Frame<PointsHeader>): Points {
  const { header } = frame;
  const decoder = new TextDecoder();
  const columns = (header.metadata ?? []).map(({ name, kind, classes, columns: places }): Column => {
    const codes = frame.ints(places.codes);
    const [text, ends] = [frame.bytes(places.text), frame.ints(places.ends)];
    return {
      name,
      kind,
      classes,
      codes,
      numbers: places.numbers === undefined ? null : frame.floats(places.numbers),
      textOf: (point) =>
        kind === 'classes'
          ? (classes[codes[point] ?? -1] ?? '')
          : decoder.decode(text.subarray(point === 0 ? 0 : ends[point - 1], ends[point])),
    };
  });
  return {
    count: header.points ?? 0,
    total: header.total ?? 0,
    dimensions: header.dimensions ?? 0,
    sprite: header.sprite ?? null,
    notices: header.notices ?? [],
    columns,
    rows: frame.ints(header.columns?.rows),
  };
}

function laidOf(frame: Frame<LayoutHeader>): Laid | null {
  const { header } = frame;
  const positions = frame.singles(header.columns?.positions);
  if (positions.length === 0) return null;
  return {
    components: header.components ?? 3,
    positions,
    points: header.columns?.points === undefined ? null : frame.ints(header.columns.points),
    variance: header.variance ?? [],
    iterations: header.iterations ?? 0,
    notices: header.notices ?? [],
  };
}

/** Shows positions as they come, and the job while it runs; ends when it is done or was stopped. */
export async function followLayout(
  asked: LayoutRequest,
  signal: AbortSignal,
  show: (laid: Laid | null, job: JobRow | null) => void,
): Promise<void> {
  let frame = await postForFrame('projector/layout', asked, signal);
  for (;;) {
    const { job } = frame.header;
    show(laidOf(frame), job);
    if (job === null || isOver(job)) return;
    frame = await getFrame(addressOf('projector/layout/{id}', { id: job.id }), signal);
  }
}

export const stopLayout = (job: JobRow): Promise<JobRow> => cancelJob(job.id);

export const fetchNeighbours = async (
  named: PointsRequest,
  point: number,
  count: number,
  metric: Metric,
  signal: AbortSignal,
): Promise<NeighbourRow[]> =>
  (await getJson(addressOf('projector/neighbours', { ...named, point, count, metric }), signal)).neighbours;

export async function fetchScores(
  named: PointsRequest,
  column: string,
  metric: Metric,
  signal: AbortSignal,
): Promise<ScoresAnswer> {
  let answer = await postJson('projector/scores', { ...named, column, metric }, signal);
  while (answer.job !== null) answer = await getJson(addressOf('projector/scores/{id}', { id: answer.job.id }), signal);
  return answer;
}

export const spriteAddress = (named: PointsRequest): string => apiAddress(addressOf('projector/sprite', { ...named }));

export const fetchBookmarks = async (named: PointsRequest): Promise<string> =>
  (await getJson(addressOf('projector/bookmarks', { ...named }))).text;

const PART = 3 << 20;

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
}

/** Sends a file in parts, and answers the name that it has as an embedding. */
export async function upload(
  vectors: Uint8Array,
  metadata: Uint8Array,
  progress: (share: number) => void,
): Promise<string> {
  let name = '';
  for (let from = 0; from === 0 || from < vectors.length; from += PART) {
    const last = from + PART >= vectors.length;
    const data = base64Of(vectors.subarray(from, from + PART));
    const answer = await postJson('projector/upload', {
      upload: name,
      data,
      last,
      metadata: last ? base64Of(metadata) : '',
    });
    name = answer.upload;
    progress(Math.min(1, (from + PART) / Math.max(1, vectors.length)));
  }
  return name;
}
