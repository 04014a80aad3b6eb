// @vitest-environment happy-dom
// The mounted chart reports what the user does with pointer, wheel and keyboard, and shows names as plain text.
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { curveOf, optionsOf } from './fixture';
import LineChart from './LineChart.svelte';
import type { ChartHandle, ChartProps } from './types';

let component: ChartHandle;
let root: HTMLElement;
const events = { onhover: vi.fn(), onpin: vi.fn(), onrange: vi.fn(), onzoom: vi.fn(), onresize: vi.fn() };

/** Mounts a chart of 500 by 260 pixels; without labels its plot is x 32 to 488. */
function show(props: Partial<ChartProps> = {}): void {
  const low = curveOf([1, 1, 1, 1, 1], { key: 'low', label: 'low' });
  const high = curveOf([9, 9, 9, 9, 9], { key: 'high', label: '<b>high</b>' });
  component = mount(LineChart, {
    target: document.body,
    props: { curves: [low, high], options: optionsOf(), height: 260, name: 'loss', ...events, ...props },
  }) as ChartHandle;
  flushSync();
  const found = document.querySelector<HTMLElement>('.chart');
  if (!found) throw new Error('no chart');
  root = found;
}

function point(type: string, x: number, y: number, more: PointerEventInit = {}): void {
  root.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, button: 0, bubbles: true, ...more }));
  flushSync();
}

function drag(from: [number, number], to: [number, number], more: PointerEventInit = {}): void {
  point('pointerdown', ...from, more);
  point('pointermove', ...to, more);
  point('pointerup', ...to, more);
}

function key(name: string): void {
  root.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
  flushSync();
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(500);
  HTMLElement.prototype.setPointerCapture = () => undefined;
});

afterEach(async () => {
  await unmount(component);
  vi.useRealTimers();
  vi.restoreAllMocks();
  Object.values(events).forEach((spy) => spy.mockReset());
});

describe('pointer', () => {
  it('reports the plot width once', () => {
    show();
    expect(events.onresize).toHaveBeenCalledTimes(1);
    expect(events.onresize.mock.calls[0][0]).toBeGreaterThan(400);
  });
  it('reports the nearest line and shows names as text', () => {
    show();
    point('pointermove', 260, 40);
    expect(events.onhover).toHaveBeenLastCalledWith({ x: 2, key: 'high' });
    const tooltip = document.querySelector('.tooltip');
    expect(tooltip?.querySelector('b')).toBeNull();
    expect(tooltip?.textContent).toContain('<b>high</b>');
    expect(tooltip?.querySelector('.nearest')?.textContent).toContain('9.000');
    point('pointermove', 260, 220);
    expect(events.onhover).toHaveBeenLastCalledWith({ x: 2, key: 'low' });
    point('pointerleave', 900, 900);
    expect(events.onhover).toHaveBeenLastCalledWith(null);
    expect(document.querySelector('.tooltip')).toBeNull();
  });
  it('shows wall times while shift is held', () => {
    show();
    point('pointermove', 260, 40, { shiftKey: true });
    expect(document.querySelector('.tooltip')?.textContent).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
  });
  it('heads the columns of the tooltip when there are several', () => {
    const heads = (): (string | null)[] =>
      [...document.querySelectorAll('.tooltip th')].map((cell) => cell.textContent);
    const x = Float64Array.of(0, 1, 2, 3, 4);
    const band = { x, low: x.map((v) => v - 1), high: x.map((v) => v + 1) };
    const sparse = curveOf([2, 2, 2], { key: 'sparse', x: Float64Array.of(0, 1.8, 4) });
    show();
    point('pointermove', 260, 40);
    expect(heads()).toEqual([]);
    void unmount(component);
    show({ curves: [curveOf([5, 5, 5, 5, 5], { smooth: { x, y: x, segment: new Int32Array(5) } })] });
    point('pointermove', 260, 40);
    expect(heads()).toEqual(['', '', 'smoothed', 'raw']);
    void unmount(component);
    show({ curves: [curveOf([0, 1, 2, 3, 4], { band }), sparse], options: optionsOf({ groupValue: 'median' }) });
    point('pointermove', 260, 40);
    expect(heads()).toEqual(['', '', 'median', 'low', 'high', 'at step']);
    const [first, second] = [...document.querySelectorAll('.tooltip tbody tr')].map((row) =>
      [...row.querySelectorAll('.low, .high, td:last-child')].map((cell) => cell.textContent),
    );
    expect([first, second]).toContainEqual(['1', '3', '']);
    expect([first, second]).toContainEqual(['', '', '1.8']);
  });
  it('pins on a click, and takes the pin away on a click at the same x', () => {
    show();
    drag([260, 40], [260, 40]);
    vi.advanceTimersByTime(300);
    expect(events.onpin).toHaveBeenLastCalledWith({ x: 2, step: 2 });
  });
  it('unpins', () => {
    show({ options: optionsOf({ selectedX: 2 }) });
    drag([260, 40], [260, 40]);
    vi.advanceTimersByTime(300);
    expect(events.onpin).toHaveBeenLastCalledWith(null);
  });
  it('resets on a double click without pinning', () => {
    show();
    drag([260, 40], [260, 40]);
    root.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
    vi.advanceTimersByTime(1000);
    expect(events.onzoom).toHaveBeenCalledExactlyOnceWith(null, null);
    expect(events.onpin).not.toHaveBeenCalled();
  });
  it('zooms x by dragging and keeps a fixed y', () => {
    show({ options: optionsOf({ yRange: [0, 20] }) });
    drag([146, 60], [374, 62]);
    const [x, y] = events.onzoom.mock.calls[0] as [[number, number], [number, number]];
    expect(x[0]).toBeCloseTo(1, 1);
    expect(x[1]).toBeCloseTo(3, 1);
    expect(y).toEqual([0, 20]);
  });
  it('selects a range with alt and pans with shift', () => {
    show();
    drag([146, 60], [374, 90], { altKey: true });
    expect(events.onrange).toHaveBeenCalledTimes(1);
    expect(events.onzoom).not.toHaveBeenCalled();
    drag([200, 60], [314, 60], { shiftKey: true });
    const [x] = events.onzoom.mock.calls[0] as [[number, number]];
    expect(x[1] - x[0]).toBeCloseTo(4);
    expect(x[0]).toBeCloseTo(-1, 1);
  });
  it('zooms by wheel only with ctrl or alt, and reports when the wheel rests', () => {
    show();
    const turn = (more: MouseEventInit): boolean =>
      root.dispatchEvent(
        // happy-dom's WheelEvent knows neither keys nor position.
        Object.assign(
          new MouseEvent('wheel', { clientX: 260, clientY: 60, bubbles: true, cancelable: true, ...more }),
          { deltaY: -100 },
        ),
      );
    expect(turn({})).toBe(true);
    expect(turn({ ctrlKey: true })).toBe(false);
    turn({ ctrlKey: true });
    expect(events.onzoom).not.toHaveBeenCalled();
    vi.advanceTimersByTime(500);
    expect(events.onzoom).toHaveBeenCalledTimes(1);
    const [[low, high]] = events.onzoom.mock.calls[0] as [[number, number]];
    expect(high - low).toBeLessThan(3);
  });
});

describe('keyboard', () => {
  it('moves along a line, changes lines, pins and clears', () => {
    show();
    key('ArrowRight');
    expect(events.onhover).toHaveBeenLastCalledWith({ x: 0, key: 'low' });
    key('ArrowRight');
    key('ArrowRight');
    expect(events.onhover).toHaveBeenLastCalledWith({ x: 2, key: 'low' });
    expect(document.querySelector('[aria-live]')?.textContent).toBe('low, step 2: 1');
    key('ArrowUp');
    expect(events.onhover).toHaveBeenLastCalledWith({ x: 2, key: 'high' });
    key('End');
    expect(events.onhover).toHaveBeenLastCalledWith({ x: 4, key: 'high' });
    key('Enter');
    expect(events.onpin).toHaveBeenLastCalledWith({ x: 4, step: 4 });
    key('Escape');
    expect(events.onhover).toHaveBeenLastCalledWith(null);
  });
  it('zooms and resets', () => {
    show();
    key('+');
    const [[low, high]] = events.onzoom.mock.calls[0] as [[number, number]];
    expect(high - low).toBeCloseTo(2.4);
    key('0');
    expect(events.onzoom).toHaveBeenLastCalledWith(null, null);
  });
  it('leaves other keys to the page', () => {
    show();
    const other = new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true });
    root.dispatchEvent(other);
    expect(other.defaultPrevented).toBe(false);
  });
});

describe('for everyone', () => {
  it('describes itself', () => {
    show();
    expect(root.getAttribute('tabindex')).toBe('0');
    expect(document.querySelector('[role=img]')?.getAttribute('aria-label')).toBe(
      'loss: 2 lines, step 0 to step 4, values 0.6 to 9.4',
    );
  });
  it('brightens the line that is hovered in another chart', () => {
    show({ hoverX: 3, hoverKey: 'low' });
    expect(document.querySelector('canvas.dimmed')).not.toBeNull();
  });
  it('does not dim when the hovered line is not here', () => {
    show({ hoverX: 3, hoverKey: 'elsewhere' });
    expect(document.querySelector('canvas.dimmed')).toBeNull();
  });
  it('says when there is nothing, or not yet', () => {
    show({ curves: [] });
    expect(document.querySelector('.empty')?.textContent).toContain('No points');
  });
  it('exports an SVG of what is shown', () => {
    show();
    expect(component.exportSVG('my loss')).toContain('<title>my loss</title>');
  });
});
