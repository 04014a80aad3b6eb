// Places a floating panel beside the control that opened it, inside the window.

const GAP = 4;
const EDGE = 8;

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Below and aligned with the control's left side; above or shifted when there is no room. */
export function besideBox(
  size: { width: number; height: number },
  anchor: Box,
  windowSize: { width: number; height: number },
): { left: number; top: number } {
  const below = anchor.top + anchor.height + GAP;
  const above = anchor.top - GAP - size.height;
  const fitsBelow = below + size.height <= windowSize.height - EDGE;
  const top = fitsBelow || above < EDGE ? below : above;
  return {
    left: Math.max(EDGE, Math.min(anchor.left, windowSize.width - EDGE - size.width)),
    top: Math.max(EDGE, Math.min(top, windowSize.height - EDGE - size.height)),
  };
}

export function placeBeside(panel: HTMLElement, anchor: HTMLElement): void {
  const { left, top } = besideBox(panel.getBoundingClientRect(), anchor.getBoundingClientRect(), {
    width: window.innerWidth,
    height: window.innerHeight,
  });
  panel.style.left = `${left}px`;
  panel.style.top = `${top}px`;
}
