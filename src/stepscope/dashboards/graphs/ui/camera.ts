// Where on the graph the screen is: moving, zooming, fitting, and showing one box.

export interface Camera {
  /** The point of the graph at the upper left corner of the screen. */
  readonly x: number;
  readonly y: number;
  /** Screen pixels per unit of the graph. */
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

export const LEAST = 0.01;
export const MOST = 4;
const MARGIN = 24;
/** Small graphs are not made larger than they are drawn best. */
const FITTED = 1.25;

const limited = (scale: number): number => Math.max(LEAST, Math.min(MOST, scale));

/** The same point of the graph stays under the pointer. */
export function zoomed(camera: Camera, factor: number, x: number, y: number): Camera {
  const scale = limited(camera.scale * factor);
  return { scale, x: camera.x + x / camera.scale - x / scale, y: camera.y + y / camera.scale - y / scale };
}

export const moved = (camera: Camera, dx: number, dy: number): Camera => ({
  ...camera,
  x: camera.x - dx / camera.scale,
  y: camera.y - dy / camera.scale,
});

export function fitted(graph: Size, screen: Size, most = FITTED): Camera {
  const scale = limited(
    Math.min(
      most,
      (screen.width - 2 * MARGIN) / Math.max(1, graph.width),
      (screen.height - 2 * MARGIN) / Math.max(1, graph.height),
    ),
  );
  return {
    scale,
    x: graph.width / 2 - screen.width / 2 / scale,
    y: graph.height / 2 - screen.height / 2 / scale,
  };
}

/** Below this, names cannot be read. */
export const READABLE = 0.55;

/** Where a graph begins: all of it if its names can be read then, else its first rows. */
export function first(graph: Size, screen: Size): Camera {
  const all = fitted(graph, screen);
  if (all.scale >= READABLE) return all;
  const scale = Math.max(all.scale, READABLE + 0.15);
  return {
    scale,
    x: graph.width / 2 - screen.width / 2 / scale,
    y: graph.height * scale > screen.height ? -MARGIN / scale : graph.height / 2 - screen.height / 2 / scale,
  };
}

/** Moves as little as shows the box; what is too small to read is made larger. */
export function revealing(camera: Camera, box: Box, screen: Size): Camera {
  const scale = Math.max(camera.scale, Math.min(0.8, screen.width / box.width, screen.height / box.height));
  const at =
    scale === camera.scale
      ? camera
      : {
          scale,
          x: box.x + box.width / 2 - screen.width / 2 / scale,
          y: box.y + box.height / 2 - screen.height / 2 / scale,
        };
  const along = (from: number, length: number, start: number, room: number): number => {
    const edge = Math.min(MARGIN * 2, room / 8) / scale;
    const shown = room / scale;
    // Of what is larger than the screen, the screen stays inside.
    if (length + 2 * edge > shown) return Math.max(from - edge, Math.min(start, from + length + edge - shown));
    if (from - edge < start) return from - edge;
    if (from + length + edge > start + shown) return from + length + edge - shown;
    return start;
  };
  return {
    scale,
    x: along(box.x, box.width, at.x, screen.width),
    y: along(box.y, box.height, at.y, screen.height),
  };
}

/** The camera with which a point of the graph stands where another stood before. */
export const held = (camera: Camera, before: Box, now: Box): Camera => ({
  ...camera,
  x: camera.x + now.x - before.x,
  y: camera.y + now.y - before.y,
});
