// The colour of each row by what the user chose, and the legend that explains it.
import { brightness, mix } from '$web/draw/colour';
import { formatBytes, formatDuration } from '$web/draw/number';
import { inks, runColours, type Theme } from '$web/style/theme';
import type { GraphViewAnswer, GraphViewRow } from './answers';
import type { ColourBy } from './graph-view';

export interface Paint {
  readonly fill: string;
  readonly line: string;
  readonly text: string;
  readonly soft: string;
}

export interface Legend {
  readonly entries: readonly { readonly colour: string; readonly text: string }[];
  /** A scale from nothing to the most. */
  readonly scale: { readonly from: string; readonly to: string; readonly low: string; readonly high: string } | null;
  /** In words, what no entry says. */
  readonly note: string;
}

export interface Colouring {
  readonly paints: readonly Paint[];
  readonly legend: Legend;
}

const TINT = 0.17;
const LINE = 0.6;
/** Hues of time and memory, far from each other also for colour-blind people. */
const HEAT: Record<'time' | 'memory', number> = { time: 1, memory: 4 };
const MOST_ENTRIES = 8;

function hueOf(text: string, hues: number): number {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return ((hash >>> 8) ^ (hash >>> 20)) % hues;
}

const PALETTE = 20;

/** The hue of each text by its letters; of two that would share one, the later takes the next that is free. */
export function huesOf(texts: Iterable<string>): Map<string, number> {
  const taken = new Set<number>();
  const found = new Map<string, number>();
  for (const text of [...new Set(texts)].sort()) {
    let hue = hueOf(text, PALETTE);
    for (let tries = 0; tries < PALETTE && taken.has(hue); tries++) hue = (hue + 1) % PALETTE;
    taken.add(hue);
    found.set(text, hue);
  }
  return found;
}

/** As WCAG measures it. */
const contrast = (one: string, other: string): number => {
  const [dark, light] = [brightness(one), brightness(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
};

class Brush {
  private readonly ink;
  private readonly colours;

  constructor(theme: Theme) {
    this.ink = inks[theme];
    this.colours = runColours[theme];
  }

  plain(): Paint {
    const { panel, axis, text, textSoft } = this.ink;
    return { fill: panel, line: mix(panel, axis, 0.55), text, soft: textSoft };
  }

  /** Where nothing is known: greyer than what has a colour. */
  unknown(): Paint {
    const { panel, axis, textSoft } = this.ink;
    return { fill: mix(panel, axis, 0.1), line: mix(panel, axis, 0.35), text: textSoft, soft: textSoft };
  }

  tinted(hue: number): Paint {
    const { panel, text, textSoft } = this.ink;
    const colour = this.hue(hue);
    return { fill: mix(panel, colour, TINT), line: mix(panel, colour, LINE), text, soft: mix(textSoft, text, 0.3) };
  }

  hue(hue: number): string {
    return this.colours[hue] ?? this.ink.axis;
  }

  heated(hue: number, share: number): Paint {
    const { panel, text } = this.ink;
    const colour = this.hue(hue);
    const fill = mix(panel, colour, 0.06 + 0.84 * Math.max(0, Math.min(1, share)));
    const written = contrast(fill, text) >= contrast(fill, panel) ? text : panel;
    return { fill, line: mix(panel, colour, 0.75), text: written, soft: written };
  }
}

function byText(rows: readonly GraphViewRow[], brush: Brush, textOf: (row: GraphViewRow) => string): Colouring {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const text = row.open ? '' : textOf(row);
    if (text !== '') counts.set(text, (counts.get(text) ?? 0) + row.nodes);
  }
  const listed = [...counts].sort((one, other) => other[1] - one[1]);
  const hues = new Map(listed.map(([text], place) => [text, place % PALETTE]));
  const entries = listed.slice(0, MOST_ENTRIES).map(([text]) => ({ colour: brush.hue(hues.get(text) ?? 0), text }));
  const more = listed.length - entries.length;
  return {
    paints: rows.map((row) => {
      const hue = hues.get(textOf(row));
      return hue === undefined ? brush.unknown() : brush.tinted(hue);
    }),
    legend: { entries, scale: null, note: more > 0 ? `and ${more} more` : '' },
  };
}

function byStructure(rows: readonly GraphViewRow[], brush: Brush): Colouring {
  const counts = new Map<string, number>();
  for (const { structure, open, members } of rows)
    if (structure !== '' && !open) counts.set(structure, (counts.get(structure) ?? 0) + (members ?? 1));
  const likeness = ({ kind, op, structure }: GraphViewRow): string =>
    kind === 'node' ? op : (counts.get(structure) ?? 0) > 1 ? structure : '';
  const hues = huesOf(rows.map(likeness).filter((text) => text !== ''));
  return {
    paints: rows.map((row) => {
      const hue = hues.get(likeness(row));
      return hue === undefined ? brush.plain() : brush.tinted(hue);
    }),
    legend: { entries: [], scale: null, note: 'Same colour: same operation, or scopes with the same operations' },
  };
}

/** A device's part that tells it from others: `/job:worker/task:0/device:GPU:1` is GPU:1 of a worker. */
export const deviceText = (name: string): string => name.replace(/^\/job:localhost\/replica:0\/task:0\/(device:)?/, '');

const share = (value: number | null, most: number | null): number =>
  most === null || most === 0 ? 0 : (value ?? 0) / most;

function byHeat(view: GraphViewAnswer, brush: Brush, kind: 'time' | 'memory'): Colouring {
  const [most, valueOf, write] =
    kind === 'time'
      ? [view.most_us, (row: GraphViewRow) => row.us, (value: number) => formatDuration(value / 1e6)]
      : [view.most_bytes, (row: GraphViewRow) => row.bytes, formatBytes];
  const hue = HEAT[kind];
  return {
    paints: view.rows.map((row) => {
      const value = valueOf(row);
      return value === null ? brush.unknown() : brush.heated(hue, share(value, most));
    }),
    legend: {
      entries: [{ colour: brush.unknown().fill, text: 'Not recorded' }],
      scale:
        most === null
          ? null
          : { from: brush.heated(hue, 0).fill, to: brush.heated(hue, 1).fill, low: write(0), high: write(most) },
      note: '',
    },
  };
}

const PRESENCE = { all: 2, some: 1, none: 9 } as const;

function byPresence(rows: readonly GraphViewRow[], brush: Brush): Colouring {
  const entries = [
    { colour: brush.hue(PRESENCE.all), text: 'All nodes have a time' },
    { colour: brush.hue(PRESENCE.some), text: 'Some have a time' },
    { colour: brush.unknown().line, text: 'None has a time' },
  ];
  return {
    paints: rows.map(({ with_time, nodes }) => {
      if (with_time === null || with_time === 0) return brush.unknown();
      return brush.tinted(with_time >= nodes ? PRESENCE.all : PRESENCE.some);
    }),
    legend: { entries, scale: null, note: '' },
  };
}

export function colouring(view: GraphViewAnswer, by: ColourBy, theme: Theme): Colouring {
  const brush = new Brush(theme);
  const { rows } = view;
  if (by === 'structure') return byStructure(rows, brush);
  if (by === 'device') return byText(rows, brush, ({ devices }) => deviceText(devices[0]?.name ?? ''));
  if (by === 'cluster') return byText(rows, brush, ({ clusters }) => clusters[0]?.name ?? '');
  if (by === 'time' || by === 'memory') return byHeat(view, brush, by);
  if (by === 'statistics') return byPresence(rows, brush);
  return { paints: rows.map(() => brush.plain()), legend: { entries: [], scale: null, note: '' } };
}

/** A hue of the palette as rows have it, or the plain look. */
export function paintOf(theme: Theme, hue: number | null): Paint {
  const brush = new Brush(theme);
  return hue === null ? brush.plain() : brush.tinted(hue);
}
