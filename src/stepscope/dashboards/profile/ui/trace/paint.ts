// Paints tracks: one pixel row of colours and span numbers for each line, stretched to its height, and names where there is room.
import { mix } from '$web/draw/colour';
import type { Pen } from '$web/draw/layer';
import { packColour } from '$web/draw/raster';
import { fontFamily, inks, timeColours, type Theme } from '$web/style/theme';
import { GROUP_ORDER } from '../groups';
import { LINE, type TrackRow } from './track-rows';
import { tilesOf, tileWindow, type Tiles, type TrackTile } from './tiles';
import { lengthOf, type Window } from './window';

/** The group of spans that count nowhere: those that contain others. */
export const NO_GROUP = 6;
const SHADES = 4;
export const LABEL_FONT = `11px ${fontFamily}`;
/** Narrower spans have no name on them. */
const LEAST_LABEL = 26;
const MOST_LABELS = 1500;

/** Colours of the seven groups in four shades: names are told apart without leaving the group's colour. */
export class Palette {
  private readonly fills: readonly string[];
  readonly packed: Uint32Array;
  readonly edges: Uint32Array;
  /** Whether white text reads well on a colour. */
  private readonly light: readonly boolean[];

  constructor(theme: Theme) {
    const ink = inks[theme];
    const plain = GROUP_ORDER.map((group) => timeColours[theme][group]);
    const none = mix(ink.panel, ink.textSoft, theme === 'light' ? 0.28 : 0.32);
    const towards = theme === 'light' ? '#ffffff' : '#000000';
    this.fills = [...plain, none].flatMap((colour, group) =>
      Array.from({ length: SHADES }, (_, shade) => mix(colour, towards, shade * (group === NO_GROUP ? 0.09 : 0.13))),
    );
    this.packed = Uint32Array.from(this.fills, (colour) => packColour(colour));
    this.edges = Uint32Array.from(this.fills, (colour) => packColour(mix(colour, ink.panel, 0.65)));
    this.light = this.fills.map((colour) => isDark(colour));
  }

  index(group: number, shade: number): number {
    return Math.min(group, NO_GROUP) * SHADES + shade;
  }

  fill(place: number): string {
    return this.fills[place] ?? '#888888';
  }

  text(place: number): string {
    return this.light[place] === true ? '#ffffff' : '#14181f';
  }
}

function isDark(hex: string): boolean {
  const value = parseInt(hex.slice(1), 16);
  const linear = [16, 8, 0].map((by) => (((value >> by) & 255) / 255) ** 2.2);
  return 0.2126 * (linear[0] ?? 0) + 0.7152 * (linear[1] ?? 0) + 0.0722 * (linear[2] ?? 0) < 0.19;
}

/** A span under the pointer. */
export interface Picked {
  row: number;
  track: number;
  line: number;
  name: string;
  group: number;
  /** Microseconds. Of several spans in one column: from the start of the first to the end of the last. */
  start: number;
  end: number;
  /** Spans that are drawn as this one. */
  count: number;
}

/** How the tracks are looked at. */
export interface Look {
  window: Window;
  /** CSS pixels, and device pixels in each. */
  width: number;
  ratio: number;
  level: number;
  palette: Palette;
  /** Names that keep their colours; null for all of them. */
  bright: ReadonlySet<string> | null;
}

interface Strip {
  track: TrackRow;
  /** First line of the picture that is the track's. */
  first: number;
}

interface Label {
  x: number;
  y: number;
  width: number;
  text: string;
  colour: string;
}

/** The picture of the visible tracks in device pixels: colours, and per pixel which entry of which tile is there. */
export class Strips {
  private width = 1;
  private lines = 1;
  private pixels = new Uint32Array(1);
  private ids = new Int32Array(1);
  private shown: { tile: TrackTile; track: number }[] = [];
  private bases: number[] = [];
  private strips: Strip[] = [];
  private window: Window = [0, 1];
  private ratio = 1;
  private readonly labels: Label[] = [];
  private image: HTMLCanvasElement | null = null;

  /** Paints the tracks into the picture; answers whether every tile was there. */
  paint(rows: readonly TrackRow[], tiles: Tiles, look: Look): boolean {
    const { window, width, ratio, level } = look;
    this.reset(rows, window, width, ratio);
    let complete = true;
    const places = tilesOf(window, level);
    for (const strip of this.strips) {
      const labelled = new Set<number>();
      const seen = new Set<string>();
      for (const place of places) {
        complete &&= tiles.has(place, strip.track.track.id);
        for (const { place: from, kept } of tiles.find(place, strip.track.track.id)) {
          const key = `${from.level}/${from.index}`;
          if (kept.spans === undefined || seen.has(key)) continue;
          seen.add(key);
          this.add(strip, kept.spans, tileWindow(from), look, labelled);
        }
      }
    }
    return complete;
  }

  private reset(rows: readonly TrackRow[], window: Window, width: number, ratio: number): void {
    this.window = window;
    this.ratio = ratio;
    this.strips = [];
    let lines = 0;
    for (const track of rows) {
      if (track.lines === 0) continue;
      this.strips.push({ track, first: lines });
      lines += track.lines;
    }
    const [wide, high] = [Math.max(1, Math.round(width * ratio)), Math.max(1, lines)];
    if (wide * high > this.pixels.length) {
      this.pixels = new Uint32Array(wide * high);
      this.ids = new Int32Array(wide * high);
    } else {
      this.pixels.fill(0, 0, wide * high);
      this.ids.fill(0, 0, wide * high);
    }
    [this.width, this.lines] = [wide, high];
    this.shown = [];
    this.bases = [];
    this.labels.length = 0;
  }

  private add(
    strip: Strip,
    tile: TrackTile,
    [first, last]: Window,
    { palette, bright }: Look,
    labelled: Set<number>,
  ): void {
    const base = this.base(tile, strip.track.track.id);
    const [from] = this.window;
    const scale = this.width / lengthOf(this.window);
    const { start, end, line, group, name, shades, row, names } = tile;
    const { lines } = strip.track;
    const dim = bright === null ? null : names.map((text) => !bright.has(text));
    const least = LEAST_LABEL * this.ratio;
    // A tile never paints outside of its own stretch, where a finer one may already have painted.
    const clipLeft = Math.max(0, Math.floor((first - from) * scale));
    const clipRight = Math.min(this.width, Math.ceil((last - from) * scale));
    for (let entry = 0; entry < start.length; entry += 1) {
      const on = line[entry] ?? 0;
      if (on >= lines) continue;
      const begins = ((start[entry] ?? 0) - from) * scale;
      const ends = ((end[entry] ?? 0) - from) * scale;
      const left = Math.max(clipLeft, Math.floor(begins));
      const right = Math.min(clipRight, Math.max(Math.floor(begins) + 1, Math.floor(ends)));
      if (right <= left) continue;
      const named = name[entry] ?? 0;
      const faded = dim?.[named] === true;
      const place = palette.index(
        faded ? NO_GROUP : (group[entry] ?? NO_GROUP),
        faded ? SHADES - 1 : (shades[named] ?? 0),
      );
      const at = (strip.first + on) * this.width;
      this.pixels.fill(palette.packed[place] ?? 0, at + left, at + right);
      this.ids.fill(base + entry, at + left, at + right);
      if (right - left > 2 && begins >= clipLeft) this.pixels[at + left] = palette.edges[place] ?? 0;
      const visible = Math.min(this.width, ends) - Math.max(0, begins);
      const id = row[entry] ?? -1;
      if (visible >= least && this.labels.length < MOST_LABELS && !labelled.has(id)) {
        labelled.add(id);
        this.labels.push({
          x: Math.max(0, begins) / this.ratio,
          y: strip.track.y + on * LINE,
          width: visible / this.ratio,
          text: names[named] ?? '',
          colour: palette.text(place),
        });
      }
    }
  }

  /** What the numbers of a tile's entries begin with; 0 is nothing. */
  private base(tile: TrackTile, track: number): number {
    const before = this.shown.at(-1);
    const base = before === undefined ? 1 : (this.bases.at(-1) ?? 1) + before.tile.start.length;
    this.shown.push({ tile, track });
    this.bases.push(base);
    return base;
  }

  /** Draws the picture: each line stretched to its height, then names. `top` is what is scrolled away. */
  draw(pen: CanvasRenderingContext2D, left: number, top: number): void {
    if (this.strips.length === 0) return;
    const image = this.canvas();
    const context = image.getContext('2d');
    if (context === null) return;
    const data = new ImageData(
      new Uint8ClampedArray(this.pixels.buffer as ArrayBuffer, 0, this.width * this.lines * 4),
      this.width,
      this.lines,
    );
    context.putImageData(data, 0, 0);
    pen.imageSmoothingEnabled = false;
    const wide = this.width / this.ratio;
    for (const { track, first } of this.strips)
      for (let line = 0; line < track.lines; line += 1)
        pen.drawImage(image, 0, first + line, this.width, 1, left, track.y - top + line * LINE, wide, LINE - 1);
    this.drawLabels(pen, left, top);
  }

  private drawLabels(pen: Pen, left: number, top: number): void {
    pen.font = LABEL_FONT;
    pen.textAlign = 'left';
    pen.textBaseline = 'middle';
    for (const { x, y, width, text, colour } of this.labels) {
      const fitting = fit(text, width - 8);
      if (fitting === '') continue;
      pen.fillStyle = colour;
      pen.fillText(fitting, left + x + 4, y - top + LINE / 2);
    }
  }

  private canvas(): HTMLCanvasElement {
    this.image ??= document.createElement('canvas');
    if (this.image.width !== this.width) this.image.width = this.width;
    if (this.image.height !== this.lines) this.image.height = this.lines;
    return this.image;
  }

  /** The span at a pixel of the timeline, `y` counted from the first track. */
  pick(x: number, y: number): Picked | null {
    const strip = this.strips.find(({ track }) => y >= track.y && y < track.y + track.lines * LINE);
    if (strip === undefined) return null;
    const line = Math.floor((y - strip.track.y) / LINE);
    const column = Math.round(x * this.ratio);
    // A span of one pixel is hard to hit.
    for (const by of [0, 1, -1, 2, -2]) {
      if (column + by < 0 || column + by >= this.width) continue;
      const found = this.entry(this.ids[(strip.first + line) * this.width + column + by] ?? 0);
      if (found !== null) return { ...found, line };
    }
    return null;
  }

  private entry(id: number): Omit<Picked, 'line'> | null {
    if (id === 0) return null;
    let place = this.bases.length - 1;
    while (place > 0 && (this.bases[place] ?? 0) > id) place -= 1;
    const found = this.shown[place];
    return found === undefined ? null : this.entryOf(found.tile, found.track, id - (this.bases[place] ?? 0));
  }

  private entryOf(tile: TrackTile, track: number, entry: number): Omit<Picked, 'line'> {
    return {
      row: tile.row[entry] ?? -1,
      track,
      name: tile.names[tile.name[entry] ?? 0] ?? '',
      group: tile.group[entry] ?? NO_GROUP,
      start: tile.start[entry] ?? 0,
      end: tile.end[entry] ?? 0,
      count: tile.count[entry] ?? 1,
    };
  }

  /** The span before or after a time on a line, among those that are painted. */
  neighbour(track: number, line: number, start: number, forward: boolean): Picked | null {
    let best: Picked | null = null;
    for (const { tile, track: own } of this.shown) {
      if (own !== track) continue;
      for (let entry = 0; entry < tile.start.length; entry += 1) {
        const begins = tile.start[entry] ?? 0;
        if (tile.line[entry] !== line || (forward ? begins <= start : begins >= start)) continue;
        if (best === null || (forward ? begins < best.start : begins > best.start))
          best = { ...this.entryOf(tile, track, entry), line };
      }
    }
    return best;
  }

  /** The span of another line that is around a time, or else the nearest to it. */
  at(track: number, line: number, time: number): Picked | null {
    let best: Picked | null = null;
    let least = Infinity;
    for (const { tile, track: own } of this.shown) {
      if (own !== track) continue;
      for (let entry = 0; entry < tile.start.length; entry += 1) {
        if (tile.line[entry] !== line) continue;
        const [begins, ends] = [tile.start[entry] ?? 0, tile.end[entry] ?? 0];
        const far = time < begins ? begins - time : time > ends ? time - ends : 0;
        if (far >= least) continue;
        least = far;
        best = { ...this.entryOf(tile, track, entry), line };
      }
    }
    return best;
  }
}

/** About how wide a character of the labels is; measuring every name would take longer than drawing it. */
const CHARACTER = 6.1;

/** As much of a name as fits, with an ellipsis; empty when that would be nothing. */
export function fit(text: string, width: number): string {
  const most = Math.floor(width / CHARACTER);
  if (most < 2) return '';
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
