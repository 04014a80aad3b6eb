// Asks the server for one mesh.
import type { MeshColumns, MeshHeader } from '$api';
import { getFrame } from '$web/api/client';
import type { Decoded } from '$web/api/frame';
import { addressOf, type Address } from '$web/api/routes';
import type { SeriesRef } from '$web/api/types';
import { valueAsked, type LoggedSteps } from '$web/media/answers';

export type MeshAddress = Address<'mesh/mesh'>;

/** A mesh, and what the log says about how to show it. */
export type Mesh = Omit<MeshHeader, 'columns'> & Decoded<MeshColumns>;

export const meshAddress = (
  series: SeriesRef,
  steps: LoggedSteps,
  place: number,
  sample: number,
  fold: boolean,
): MeshAddress => addressOf('mesh/mesh', { ...valueAsked(series, steps, place, fold), sample });

export async function fetchMesh(address: MeshAddress, signal: AbortSignal): Promise<Mesh> {
  const frame = await getFrame(address, signal);
  const { columns, ...said } = frame.header;
  return {
    ...said,
    vertices: frame.singles(columns.vertices),
    faces: frame.ints(columns.faces),
    colours: frame.bytes(columns.colours),
  };
}
