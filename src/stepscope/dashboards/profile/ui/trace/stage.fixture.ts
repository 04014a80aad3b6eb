// A stage and a pen for tests of overlays: the pen keeps what was drawn.
import type { Pen } from '$web/draw/layer';
import { makeStage, type Stage } from './overlay';
import type { Row } from './track-rows';
import type { Window } from './window';

/** 1000 pixels for a window, with these rows all in view. */
export function stageOf(
  rows: readonly Row[],
  { window = [0, 1000], width = 1000, top = 0 }: { window?: Window; width?: number; top?: number } = {},
): Stage {
  return makeStage(window, width, 'light', { height: 300, top, rows, visible: rows });
}

export const trackRow = (id: number, y: number, lines = 2, more: object = {}): Row =>
  ({ kind: 'track', key: `t:${id}`, track: { id, ...more }, lines, y, height: lines * 18 + 4 }) as unknown as Row;

export const processRow = (name: string, y: number): Row =>
  ({ kind: 'process', key: `p:${name}`, name, y, height: 26 }) as unknown as Row;

export interface Drawn {
  pen: Pen;
  /** Filled boxes, as x, y, width, height. */
  boxes: number[][];
  /** Outlined boxes. */
  rects: number[][];
  /** Corners of lines, a list for each path. */
  paths: number[][][];
  texts: string[];
}

export function drawing(): Drawn {
  const drawn: Omit<Drawn, 'pen'> = { boxes: [], rects: [], paths: [], texts: [] };
  const pen = {
    save: () => undefined,
    restore: () => undefined,
    clip: () => undefined,
    stroke: () => undefined,
    fill: () => undefined,
    closePath: () => undefined,
    setLineDash: () => undefined,
    beginPath: () => drawn.paths.push([]),
    moveTo: (x: number, y: number) => drawn.paths.at(-1)?.push([x, y]),
    lineTo: (x: number, y: number) => drawn.paths.at(-1)?.push([x, y]),
    rect: (...box: number[]) => drawn.rects.push(box),
    fillRect: (...box: number[]) => drawn.boxes.push(box),
    fillText: (text: string) => drawn.texts.push(text),
    measureText: (text: string) => ({ width: text.length * 6 }),
  } as unknown as Pen;
  return { pen, ...drawn };
}
