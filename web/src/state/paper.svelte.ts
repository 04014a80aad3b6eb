// Whether the page is being printed. Browsers lay it out anew for paper without measuring its charts again, so that these
// are drawn for a width that is known beforehand, in light colours.
import { flushSync } from 'svelte';
import { currentTheme } from '../style/theme';
import { shownTheme } from './choices.svelte';

/** Between the margins of A4 and Letter, in CSS pixels; charts are scaled by the few that a sheet has more or less. */
const WIDTH = 700;
/** Pixels of a canvas per CSS pixel, as sharp as a printer needs. */
const PIXEL_RATIO = 3;

class Paper {
  /** Null on a screen. */
  width = $state.raw<number | null>(null);

  /** What canvases are drawn with; undefined for the screen's own. */
  get pixelRatio(): number | undefined {
    return this.width === null ? undefined : PIXEL_RATIO;
  }

  constructor() {
    window.addEventListener('beforeprint', () => {
      flushSync(() => {
        this.width = WIDTH;
        shownTheme.current = 'light';
      });
    });
    window.addEventListener('afterprint', () => {
      this.width = null;
      shownTheme.current = currentTheme();
    });
  }
}

export const paper = new Paper();
