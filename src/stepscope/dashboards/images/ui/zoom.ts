// Zoom and pan of an open image: a factor to the size that fits, and a shift in pixels from the middle.

export interface Zoom {
  /** 1 fits the image into its pane. */
  factor: number;
  shift: readonly [number, number];
}

export const FIT: Zoom = { factor: 1, shift: [0, 0] };
const MOST = 200;
const LEAST = 0.1;

/** Zooms so that what is at `at`, in pixels from the pane's middle, stays there. */
export function zoomed(zoom: Zoom, by: number, at: readonly [number, number] = [0, 0]): Zoom {
  const factor = Math.min(MOST, Math.max(LEAST, zoom.factor * by));
  const ratio = factor / zoom.factor;
  return { factor, shift: [at[0] - (at[0] - zoom.shift[0]) * ratio, at[1] - (at[1] - zoom.shift[1]) * ratio] };
}

export function moved({ factor, shift }: Zoom, x: number, y: number): Zoom {
  return { factor, shift: [shift[0] + x, shift[1] + y] };
}

/** Pixels of the screen for a pixel of an image that fits its pane; 0 while a size is unknown. */
export function fitScale(pane: readonly [number, number], image: readonly [number, number]): number {
  if (image[0] <= 0 || image[1] <= 0) return 0;
  return Math.min(pane[0] / image[0], pane[1] / image[1]);
}
