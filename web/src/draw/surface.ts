// A canvas kept as sharp as the screen, and redraws gathered into one per animation frame.

/** Gives the canvas `ratio` pixels per CSS pixel, the screen's by default, and returns a cleared context that draws in CSS pixels. */
export function prepare(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  ratio = window.devicePixelRatio || 1,
): CanvasRenderingContext2D | null {
  const [wide, high] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  const context = canvas.getContext('2d');
  if (!context) return null;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, wide, high);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

export interface Scheduler {
  /** Asks for one redraw in the next frame, however often it is called before that. */
  request(): void;
  cancel(): void;
}

export function onNextFrame(draw: () => void): Scheduler {
  let pending = 0;
  return {
    request() {
      pending ||= requestAnimationFrame(() => {
        pending = 0;
        draw();
      });
    },
    cancel() {
      cancelAnimationFrame(pending);
      pending = 0;
    },
  };
}

/** Calls back when the pixel density changes, as when a window moves to another screen; returns how to stop. */
export function watchPixelRatio(changed: () => void): () => void {
  let query: MediaQueryList;
  const listen = (): void => {
    query = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    query.addEventListener('change', report, { once: true });
  };
  const report = (): void => {
    changed();
    listen();
  };
  listen();
  return () => query.removeEventListener('change', report);
}
