// The seam for everything that is drawn on the timeline except its spans: an overlay draws itself on a stage and says what is under a point.
import type { Pen } from '$web/draw/layer';
import { makeScale, type Scale } from '$web/draw/scale';
import { inks, type Ink, type Theme } from '$web/style/theme';
import type { Row } from './track-rows';
import type { Window } from './window';

/** Where overlays draw: the canvas of the tracks, or the ruler above it. */
export interface Stage {
  /** Microseconds since the start of the profile to CSS pixels. */
  readonly x: Scale;
  readonly width: number;
  readonly height: number;
  /** Pixels of the tracks that are scrolled away; 0 on the ruler. */
  readonly top: number;
  /** All rows, and those that have a pixel on the canvas. */
  readonly rows: readonly Row[];
  readonly visible: readonly Row[];
  readonly theme: Theme;
  readonly ink: Ink;
}

/** What the tooltip says: a name from the file, a sentence with a faint end, another name, and more sentences. */
export interface Tip {
  name?: string;
  text?: string;
  soft?: string;
  below?: string;
  more?: readonly string[] | undefined;
}

/** What is under the pointer, and what a click on it does. */
export interface OverlayHit {
  readonly tip: Tip;
  readonly act: (() => void) | null;
}

export interface Overlay {
  draw(pen: Pen, stage: Stage): void;
  /** Overlays that are only decoration have no hit. Points are CSS pixels of the canvas. */
  hit?(x: number, y: number, stage: Stage): OverlayHit | null;
}

/** Overlays in the order in which they are drawn. */
export interface Overlays {
  readonly under: readonly Overlay[];
  readonly over: readonly Overlay[];
  readonly ruler: readonly Overlay[];
}

export function makeStage(
  window: Window,
  width: number,
  theme: Theme,
  rest: Pick<Stage, 'height' | 'top' | 'rows' | 'visible'>,
): Stage {
  return { x: makeScale('linear', window, [0, width]), width, theme, ink: inks[theme], ...rest };
}

/** The hit of the overlay that was drawn last, which is on top. */
export function hitOf(overlays: readonly Overlay[], x: number, y: number, stage: Stage): OverlayHit | null {
  for (const overlay of overlays.toReversed()) {
    const hit = overlay.hit?.(x, y, stage) ?? null;
    if (hit !== null) return hit;
  }
  return null;
}
