// Pointers on the timeline: drag to move, select or zoom, two fingers to zoom, the wheel, and clicks.
import { lengthOf, moved, within, zoomed, type Window } from './window';

/** Shorter drags are clicks. */
const CLICK = 4;

/** `pan` moves, `area` selects a stretch of time, `zoom` (on the ruler) shows it. */
export type DragKind = 'pan' | 'area' | 'zoom';

interface Drag {
  kind: DragKind;
  x: number;
  y: number;
  nowX: number;
  window: Window;
  top: number;
  /** Distance of the second finger when it came; 0 without one. */
  apart: number;
}

export interface Point {
  x: number;
  y: number;
}

/** What the gestures need of the timeline. */
export interface Ground {
  shown(): Window;
  /** CSS pixels of the canvas. */
  width(): number;
  /** How far the window may be moved. */
  limits(): Window;
  /** Where a pointer is on the canvas. */
  point(event: MouseEvent): Point;
  scrolled(): number;
  scrollTo(top: number): void;
  show(window: Window): void;
  focus(): void;
  hover(at: Point, onRuler: boolean): void;
  click(at: Point, onRuler: boolean): void;
  select(area: Window): void;
}

export class Gestures {
  private drag = $state.raw<Drag | null>(null);
  private readonly fingers = new Map<number, Point>();

  constructor(private readonly ground: Ground) {}

  /** What is being dragged, and the stretch of time that is selected by it. */
  readonly dragging = $derived(this.drag?.kind ?? null);
  readonly area = $derived(this.drag === null || this.drag.kind === 'pan' ? null : this.dragged(this.drag));

  down(event: PointerEvent, kind: DragKind): void {
    if (event.button !== 0) return;
    const { x, y } = this.ground.point(event);
    this.fingers.set(event.pointerId, { x, y });
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    this.ground.focus();
    const apart = this.apart();
    this.drag = {
      kind: apart > 0 ? 'pan' : kind,
      x: apart > 0 ? this.between() : x,
      y,
      nowX: x,
      window: this.ground.shown(),
      top: this.ground.scrolled(),
      apart,
    };
  }

  move(event: PointerEvent, onRuler: boolean): void {
    const { x, y } = this.ground.point(event);
    if (this.drag === null) return this.ground.hover({ x, y }, onRuler);
    if (this.fingers.has(event.pointerId)) this.fingers.set(event.pointerId, { x, y });
    const { drag } = this;
    const width = this.ground.width();
    const [start, end] = this.ground.limits();
    if (drag.apart > 0 && this.fingers.size > 1) {
      // What was between the fingers stays between them: they zoom and move at once.
      const held = drag.window[0] + (drag.x / width) * lengthOf(drag.window);
      const length = Math.min((lengthOf(drag.window) * drag.apart) / Math.max(1, this.apart()), end - start);
      const from = held - (this.between() / width) * length;
      return this.ground.show(within([from, from + length], end, start));
    }
    this.drag = { ...drag, nowX: x };
    if (drag.kind !== 'pan' || Math.hypot(x - drag.x, y - drag.y) < CLICK) return;
    this.ground.show(moved(drag.window, (drag.x - x) / width, end, start));
    this.ground.scrollTo(drag.top - (y - drag.y));
  }

  /** Answers whether it was a click, which goes to the tracks or the ruler unless somebody else takes it. */
  up(event: PointerEvent, clicks = true): boolean {
    this.fingers.delete(event.pointerId);
    const done = this.drag;
    this.drag = null;
    if (done !== null && done.apart > 0) this.goOn();
    if (done === null || done.apart > 0) return false;
    const { x, y } = this.ground.point(event);
    if (Math.hypot(x - done.x, y - done.y) < CLICK) {
      if (clicks) this.ground.click({ x, y }, done.kind === 'zoom');
      return true;
    }
    const area = this.dragged({ ...done, nowX: x });
    if (done.kind === 'area') this.ground.select(area);
    else if (done.kind === 'zoom') {
      const [start, end] = this.ground.limits();
      this.ground.show(within(area, end, start));
    }
    return false;
  }

  cancel(): void {
    this.fingers.clear();
    this.drag = null;
  }

  wheel(event: WheelEvent): void {
    const { x } = this.ground.point(event);
    const shown = this.ground.shown();
    const [start, end] = this.ground.limits();
    if (event.ctrlKey || event.metaKey) {
      const factor = Math.exp(Math.max(-240, Math.min(240, event.deltaY)) * 0.004);
      this.ground.show(zoomed(shown, factor, this.timeAt(Math.max(0, x)), end, start));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      this.ground.show(moved(shown, by / this.ground.width(), end, start));
    } else return;
    event.preventDefault();
  }

  /** The finger that is left after a pinch moves on. */
  private goOn(): void {
    const [left] = this.fingers.values();
    if (left === undefined || this.fingers.size > 1) return;
    const { x, y } = left;
    this.drag = { kind: 'pan', x, y, nowX: x, window: this.ground.shown(), top: this.ground.scrolled(), apart: 0 };
  }

  /** The middle of the fingers. */
  private between(): number {
    const all = [...this.fingers.values()];
    return all.reduce((sum, { x }) => sum + x, 0) / Math.max(1, all.length);
  }

  private timeAt(x: number): number {
    const shown = this.ground.shown();
    return shown[0] + (x / this.ground.width()) * lengthOf(shown);
  }

  private dragged({ x, nowX }: Drag): Window {
    const [start, end] = this.ground.limits();
    const ends = [x, nowX].map((at) => Math.max(start, Math.min(end, this.timeAt(at))));
    return [Math.min(...ends), Math.max(...ends)];
  }

  private apart(): number {
    const [one, other] = [...this.fingers.values()];
    return one === undefined || other === undefined ? 0 : Math.hypot(one.x - other.x, one.y - other.y);
  }
}
