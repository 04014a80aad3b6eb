// The critical path: a line along the spans that make a step as long as it is, from the host to the device and back.
import type { Pen } from '$web/draw/layer';
import type { PathPiece } from '$api';
import type { Overlay, Stage } from '../overlay';
import { LINE, rowOf, type TrackRow } from '../track-rows';
import { durationText } from '../window';

/** Above the lower edge of a span, so that its name can be read. */
const RAISED = 3;
const THICK = 3;
const THIN = 1.5;
/** Light on both sides, so that it is seen on any colour. */
const HALO = 2;
/** Pixels beside the line at which it is still meant. */
const NEAR = 5;
const OUTSIDE = 10;
/** Between spans that are both narrower there is no line from track to track: many of them would hide everything. */
const LEAST_JUMP = 3;
/** Narrow spans of one track with no more pixels between them are one line, not dots. */
const JOINED = 8;

/** A straight piece of the line; `jump` leads from one span to the next, `away` is time that no span here has. */
export interface Stroke {
  kind: 'span' | 'jump' | 'away';
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  piece: PathPiece;
}

const yOf = (row: TrackRow, line: number, top: number): number =>
  row.y + (Math.min(line, Math.max(0, row.lines - 1)) + 1) * LINE - 1 - RAISED - top;

/**
 * The path as strokes in the order of time; spans too narrow to be seen apart are one stroke. What lies between operations is the way from one to the next; time without
 * a span here stays at the height of the span before it, or of the first one.
 */
export function strokesOf(pieces: readonly PathPiece[], { x, width, top, rows }: Stage): Stroke[] {
  const found: Stroke[] = [];
  const tracks = new Map<number, TrackRow | undefined>();
  const rowFor = (track: number): TrackRow | undefined => {
    if (!tracks.has(track)) tracks.set(track, rowOf(rows, track));
    return tracks.get(track);
  };
  const clamped = (time: number): number => Math.max(-OUTSIDE, Math.min(width + OUTSIDE, x.map(time)));
  const heightOf = (piece: PathPiece): number | undefined => {
    const row = piece.track === null ? undefined : rowFor(piece.track);
    return row === undefined ? undefined : yOf(row, piece.line ?? 0, top);
  };
  const drawn = pieces.filter(({ part, track }) => part !== 'between' || track === null);
  const first = drawn.map(heightOf).find((y) => y !== undefined);
  let at = null as { x: number; y: number; wide: boolean } | null;
  /** The last narrow span at each height. */
  const narrow = new Map<number, Stroke>();
  for (const piece of drawn) {
    const own = heightOf(piece);
    const y = own ?? at?.y ?? (piece.track === null ? first : undefined);
    if (y === undefined) continue;
    const [x0, x1] = [clamped(piece.start_us), clamped(piece.end_us)];
    const wide = x1 - x0 >= LEAST_JUMP;
    if (at !== null && (at.y !== y || x0 - at.x > 1) && (wide || at.wide))
      found.push({ kind: 'jump', x0: at.x, y0: at.y, x1: x0, y1: y, piece });
    at = { x: x1, y, wide };
    const before = own === undefined || wide ? undefined : narrow.get(y);
    if (before !== undefined && x0 - before.x1 <= JOINED) {
      before.x1 = x1;
      continue;
    }
    const stroke: Stroke = { kind: own === undefined ? 'away' : 'span', x0, y0: y, x1, y1: y, piece };
    found.push(stroke);
    if (stroke.kind === 'span' && !wide) narrow.set(y, stroke);
  }
  return found;
}

function stroke(pen: Pen, strokes: readonly Stroke[], colour: string, width: number): void {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  for (const { x0, y0, x1, y1 } of strokes) {
    pen.moveTo(x0, y0);
    // What is narrower than a pixel is seen all the same.
    pen.lineTo(x0 === x1 && y0 === y1 ? x1 + 1 : x1, y1);
  }
  pen.stroke();
}

function tipOf(piece: PathPiece, worker: string): { text: string; soft: string; below: string } {
  const elsewhere = piece.worker === worker ? '' : `, on ${piece.worker}`;
  return {
    text: `Critical path for ${durationText(piece.end_us - piece.start_us)}`,
    soft: piece.row === null ? `not covered by the trace${elsewhere}` : elsewhere.replace(', ', ''),
    below: piece.row === null ? '' : piece.name,
  };
}

/** `worker` is the one whose trace it is; a click on what runs on another one leads there. */
export function pathOverlay(
  pieces: readonly PathPiece[],
  worker: string,
  onother: (worker: string, row: number | null) => void,
): Overlay {
  return {
    draw(pen, stage) {
      const strokes = strokesOf(pieces, stage);
      const solid = strokes.filter(({ kind }) => kind === 'span');
      const thin = strokes.filter(({ kind }) => kind === 'jump');
      const away = strokes.filter(({ kind }) => kind === 'away');
      pen.lineCap = 'butt';
      stroke(pen, [...solid, ...away], stage.ink.panel, THICK + HALO);
      stroke(pen, thin, stage.ink.panel, THIN + HALO);
      stroke(pen, solid, stage.ink.text, THICK);
      stroke(pen, thin, stage.ink.text, THIN);
      pen.setLineDash([4, 3]);
      stroke(pen, away, stage.ink.text, THICK);
      pen.setLineDash([]);
    },
    hit(x, y, stage) {
      const found = strokesOf(pieces, stage).find(
        (one) => one.kind === 'away' && Math.abs(one.y0 - y) <= NEAR && one.x0 <= x && x < Math.max(one.x1, one.x0 + 2),
      );
      if (found === undefined) return null;
      const { piece } = found;
      return {
        tip: tipOf(piece, worker),
        act: piece.worker === worker ? null : () => onother(piece.worker, piece.row),
      };
    },
  };
}
