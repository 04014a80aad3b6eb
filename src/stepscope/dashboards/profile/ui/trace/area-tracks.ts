// The tracks that a selected area is about: those that are neither folded away nor filtered out.
import { trackKey, type TraceOutline } from './track-rows';

/** More would make the request too long. */
const MOST_TRACKS = 500;

export function areaTracks(
  tracks: TraceOutline['tracks'],
  { folded, tracks: filter }: { folded: readonly string[]; tracks: string },
): number[] {
  const wanted = filter.toLowerCase();
  return tracks
    .filter(({ role }) => role === 'thread' || role === 'stream')
    .filter(({ process, id }) => !folded.includes(`p:${process}`) && !folded.includes(`hidden:${trackKey(id)}`))
    .filter(({ name, process, number }) => `${process} ${name} ${number}`.toLowerCase().includes(wanted))
    .map(({ id }) => id)
    .slice(0, MOST_TRACKS);
}
