// Which tracks are shown, in which order and how high: processes with their threads and streams, pinned ones on top.
import type { Parts } from '$api';
import { inOrder } from './track-order';

export type TraceOutline = Parts['tracks']['answer'];
export type TraceTrack = TraceOutline['tracks'][number];

/** What the user chose about tracks. */
export interface TrackChoices {
  /** Processes and tracks that are folded: `p:host`, `t:3`; and those that were folded at first and are open: `o:System`. */
  folded: ReadonlySet<string>;
  /** Tracks of which every line is shown. */
  opened: ReadonlySet<number>;
  pinned: readonly number[];
  /** Tracks that were moved, before the others of their process. */
  order: readonly number[];
  /** Only tracks whose name or process contains this. */
  filter: string;
}

export interface ProcessRow {
  kind: 'process';
  key: string;
  /** What is put on or off the list of folded ones to fold or open it. */
  foldKey: string;
  name: string;
  tracks: number;
  folded: boolean;
  y: number;
  height: number;
}

export interface TrackRow {
  kind: 'track';
  key: string;
  track: TraceTrack;
  pinned: boolean;
  folded: boolean;
  /** Lines that are drawn, and those that are not. */
  lines: number;
  more: number;
  y: number;
  height: number;
}

export type Row = ProcessRow | TrackRow;

export const LINE = 18;
export const PROCESS_HEIGHT = 26;
export const COUNTER_HEIGHT = 44;
/** Room below the last line of a track. */
const GAP = 4;
/** Deeper stacks show this many lines until they are opened. */
export const USUAL_LINES = 32;
/** Most lines of a track that the page ever draws. */
export const MOST_LINES = 255;

export const processKey = (process: string): string => `p:${process}`;
const openKey = (process: string): string => `o:${process}`;
export const trackKey = (id: number): string => `t:${id}`;

/** The machine's own counters, which a capture adds to every profile: seventeen and more, so they are folded at first. */
const SYSTEM = 'System';
const SYSTEM_PREFIX = 'system/';
const isSystem = ({ role, name }: TraceTrack): boolean => role === 'counter' && name.startsWith(SYSTEM_PREFIX);

/** The process or group that a track stands below. */
export const groupOf = (track: TraceTrack): string => (isSystem(track) ? SYSTEM : track.process);

/** The name beside its spans; what the group already says is left out. */
export const trackName = (track: TraceTrack): string =>
  isSystem(track) ? track.name.slice(SYSTEM_PREFIX.length) : track.name;

/** Whether a group is folded; a filter shows what it finds. */
function foldingOf(group: string, { folded, filter }: TrackChoices): { foldKey: string; folded: boolean } {
  if (group === SYSTEM && filter === '') return { foldKey: openKey(group), folded: !folded.has(openKey(group)) };
  return { foldKey: processKey(group), folded: folded.has(processKey(group)) };
}

function trackRow(track: TraceTrack, choices: TrackChoices, pinned: boolean, y: number): TrackRow {
  const key = trackKey(track.id);
  const folded = choices.folded.has(key);
  const all = Math.min(track.lines, MOST_LINES);
  const most = folded ? 1 : choices.opened.has(track.id) ? all : USUAL_LINES;
  const lines = Math.min(all, most);
  const height = track.role === 'counter' ? COUNTER_HEIGHT : Math.max(1, lines) * LINE + GAP;
  return {
    kind: 'track',
    key: pinned ? `${key}:pinned` : key,
    track,
    pinned,
    folded,
    lines,
    more: all - lines,
    y,
    height,
  };
}

const matches = ({ name, process, number }: TraceTrack, filter: string): boolean =>
  `${process} ${name} ${number}`.toLowerCase().includes(filter.toLowerCase());

/** The rows from top to bottom. Tracks have the server's order inside of their process, unless they were moved. */
export function layOut(tracks: readonly TraceTrack[], choices: TrackChoices): Row[] {
  const rows: Row[] = [];
  let y = 0;
  const add = <R extends Row>(row: R): void => {
    rows.push(row);
    y += row.height;
  };
  const shown = choices.filter === '' ? tracks : tracks.filter((track) => matches(track, choices.filter));
  const pinned = new Set(choices.pinned);
  const byId = new Map(tracks.map((track) => [track.id, track]));
  for (const id of choices.pinned) {
    const track = byId.get(id);
    if (track !== undefined) add(trackRow(track, choices, true, y));
  }
  const processes = new Map<string, TraceTrack[]>();
  for (const track of shown) {
    const group = groupOf(track);
    const list = processes.get(group);
    if (list === undefined) processes.set(group, [track]);
    else list.push(track);
  }
  for (const [name, list] of processes) {
    const folding = foldingOf(name, choices);
    add({
      kind: 'process',
      key: processKey(name),
      ...folding,
      name,
      tracks: list.length,
      y,
      height: PROCESS_HEIGHT,
    });
    if (folding.folded) continue;
    const usual = list.map(({ id }) => id);
    for (const id of choices.order.length === 0 ? usual : inOrder(usual, choices.order)) {
      const track = byId.get(id);
      if (track !== undefined && !pinned.has(id)) add(trackRow(track, choices, false, y));
    }
  }
  return rows;
}

export const heightOf = (rows: readonly Row[]): number => {
  const last = rows.at(-1);
  return last === undefined ? 0 : last.y + last.height;
};

/** The rows that have a pixel between two heights. */
export function rowsBetween(rows: readonly Row[], top: number, bottom: number): Row[] {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row !== undefined && row.y + row.height <= top) low = middle + 1;
    else high = middle;
  }
  const found: Row[] = [];
  for (let place = low; place < rows.length; place += 1) {
    const row = rows[place];
    if (row === undefined || row.y >= bottom) break;
    found.push(row);
  }
  return found;
}

/** The row that shows a track; undefined when it is folded away or filtered out. */
export const rowOf = (rows: readonly Row[], track: number): TrackRow | undefined =>
  rows.find((row): row is TrackRow => row.kind === 'track' && row.track.id === track);

/** The middle of a line of a track; a line that is not drawn is at the last one that is. */
export const lineMiddle = ({ y, lines }: TrackRow, line: number): number =>
  y + Math.min(line, Math.max(0, lines - 1)) * LINE + LINE / 2;

export const isTrack = (row: Row): row is TrackRow => row.kind === 'track';
