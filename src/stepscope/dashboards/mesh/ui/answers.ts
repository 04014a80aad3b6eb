// Asks the server for one mesh.
import { getAnswer } from '$web/api/client';
import { decodeFrame, type ColumnSpec } from '$web/api/frame';
import type { SeriesRef } from '$web/api/types';
import { valueQuery, type LoggedSteps } from '$web/media/answers';

export interface Mesh {
  /** Three numbers a vertex. */
  vertices: Float32Array;
  /** Three vertices a face; empty for a point cloud. */
  faces: Int32Array;
  /** Three numbers a vertex, or none at all. */
  colours: Uint8Array;
  /** Degrees; null where the log does not say. */
  fov: number | null;
  pointSize: number | null;
  orthographic: boolean;
  /** Of what has no colours of its own. */
  colour: readonly [number, number, number] | null;
  wireframe: boolean;
  /** Whether light falls on its faces. */
  lit: boolean;
  notices: readonly string[];
}

interface Header {
  fov: number | null;
  point_size: number | null;
  orthographic: boolean;
  colour: [number, number, number] | null;
  wireframe: boolean;
  lit: boolean;
  notices: string[];
  columns: { vertices?: ColumnSpec; faces?: ColumnSpec; colours?: ColumnSpec };
}

export const meshPath = (series: SeriesRef, steps: LoggedSteps, place: number, sample: number, fold: boolean): string =>
  `mesh/mesh?${valueQuery(series, steps, place, fold)}&sample=${sample}`;

export async function fetchMesh(path: string, signal: AbortSignal): Promise<Mesh> {
  const frame = decodeFrame<Header>(await (await getAnswer(path, signal)).arrayBuffer());
  const { columns, point_size: pointSize, ...look } = frame.header;
  return {
    vertices: frame.singles(columns.vertices),
    faces: frame.ints(columns.faces),
    colours: frame.bytes(columns.colours),
    ...look,
    pointSize,
  };
}
