// From span to span with the arrow keys: before and after on a line, around and inside, and on to the next track.
import type { SpanPlace } from './overlays/outline';
import type { Picked, Strips } from './paint';
import { isTrack, type Row, type TrackRow } from './track-rows';
import type { Window } from './window';

/** What a walk goes over. */
export interface Ground {
  strips: Pick<Strips, 'neighbour' | 'at'>;
  rows: readonly Row[];
  visible: readonly Row[];
  shown: Window;
}

/** The first span on screen. */
export function firstShown({ strips, visible, shown }: Ground): Picked | null {
  for (const row of visible.filter(isTrack)) {
    const found = strips.at(row.track.id, 0, shown[0]);
    if (found !== null) return found;
  }
  return null;
}

/** The span before or after the chosen one on its line; without one, the first on screen. */
export function beside(chosen: SpanPlace | null, forward: boolean, ground: Ground): Picked | null {
  if (chosen === null) return firstShown(ground);
  return ground.strips.neighbour(chosen.track, chosen.line, chosen.start, forward);
}

/** The span around or inside of the chosen one. From the last line of a track that is the next track, which may still be out of sight. */
export function across(
  chosen: SpanPlace | null,
  by: 1 | -1,
  ground: Ground,
): { span: Picked | null; track: TrackRow | null } {
  if (chosen === null) return { span: firstShown(ground), track: null };
  const { strips, rows, shown } = ground;
  const middle = (Math.max(chosen.start, shown[0]) + Math.min(chosen.end, shown[1])) / 2;
  const inside = strips.at(chosen.track, chosen.line + by, middle);
  if (inside !== null && inside.line >= 0) return { span: inside, track: null };
  const tracks = rows.filter(isTrack).filter(({ lines }) => lines > 0);
  const track = tracks[tracks.findIndex(({ track: { id } }) => id === chosen.track) + by] ?? null;
  const line = track === null || by > 0 ? 0 : track.lines - 1;
  return { span: track === null ? null : strips.at(track.track.id, line, middle), track };
}
