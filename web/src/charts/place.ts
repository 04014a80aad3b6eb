// Where a tooltip goes: beside the pointer, and always whole on the screen.
interface Box {
  readonly width: number;
  readonly height: number;
}

const OFFSET = 14;
const EDGE = 8;

function along(pointer: number, size: number, room: number): number {
  const after = pointer + OFFSET;
  if (after + size + EDGE <= room) return after;
  const before = pointer - OFFSET - size;
  return before >= EDGE ? before : Math.max(EDGE, room - size - EDGE);
}

/** The left and top of a tooltip of a size, for a pointer and a window in the same pixels. */
export function placeTooltip(pointer: { x: number; y: number }, size: Box, room: Box): { left: number; top: number } {
  return { left: along(pointer.x, size.width, room.width), top: along(pointer.y, size.height, room.height) };
}
