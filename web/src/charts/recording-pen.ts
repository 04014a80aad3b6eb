// A pen for tests that remembers where it drew.
import type { Pen } from '../draw/layer';

export interface Drawn {
  readonly pen: Pen;
  /** The corners of each path, in the order of their drawing, with how it ended. */
  readonly paths: { corners: [number, number][]; fill: string | null; stroke: string | null }[];
}

export function recordingPen(): Drawn {
  const paths: Drawn['paths'] = [];
  const state = { fillStyle: '', strokeStyle: '', lineWidth: 1, globalAlpha: 1, lineJoin: 'miter' };
  const last = (): Drawn['paths'][number] => paths[paths.length - 1];
  const corner = (x: number, y: number): void => void last().corners.push([x, y]);
  const pen = Object.assign(state, {
    beginPath: () => void paths.push({ corners: [], fill: null, stroke: null }),
    moveTo: corner,
    lineTo: corner,
    closePath: () => undefined,
    fill: () => void (last().fill = state.fillStyle),
    stroke: () => void (last().stroke = state.strokeStyle),
    setLineDash: () => undefined,
  });
  return { pen: pen as unknown as Pen, paths };
}
