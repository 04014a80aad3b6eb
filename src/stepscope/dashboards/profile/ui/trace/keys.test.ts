// Each key does one thing; keys of the browser are left to it.
import { expect, it, vi } from 'vitest';
import { canBeHeld, goOn, pressed, type KeyActs } from './keys';

const acts = {
  zoom: vi.fn(),
  move: vi.fn(),
  beside: vi.fn(),
  across: vi.fn(),
  fit: vi.fn(),
  zoomToChosen: vi.fn(),
  hit: vi.fn(),
  step: vi.fn(),
  gap: vi.fn(),
  longest: vi.fn(),
  bookmark: vi.fn(),
  find: vi.fn(),
  escape: vi.fn(() => false),
} satisfies KeyActs;
const key = (name: string, more: Partial<KeyboardEvent> = {}): KeyboardEvent =>
  ({ key: name, altKey: false, ctrlKey: false, metaKey: false, ...more }) as KeyboardEvent;

it('keys do what they are for, in capitals too', () => {
  expect(['W', 'd', 'ArrowUp', '0', '.'].map((name) => pressed(key(name), acts))).toEqual(Array(5).fill(true));
  expect(acts.zoom).toHaveBeenCalledWith(0.6);
  expect(acts.move).toHaveBeenCalledWith(0.2);
  expect(acts.across).toHaveBeenCalledWith(-1);
  expect(acts.hit).toHaveBeenCalledWith(true);
});

it('some keys lead further with Shift', () => {
  for (const name of ['e', 'q', 'g', 'G', 'l', 'L', 'm']) expect(pressed(key(name), acts)).toBe(true);
  expect(acts.step.mock.calls).toEqual([[true], [false]]);
  expect(acts.gap.mock.calls).toEqual([[true], [false]]);
  expect(acts.longest.mock.calls).toEqual([['name'], ['track']]);
  expect(acts.bookmark).toHaveBeenCalledOnce();
});

it('keys that move and zoom can be held, and do as much in two halves of a second as in a whole one', () => {
  expect(['w', 'A', '-', 'e', '0', 'constructor'].map((name) => canBeHeld(key(name)))).toEqual([
    ...[true, true, true],
    ...[false, false, false],
  ]);
  expect(canBeHeld(key('s', { ctrlKey: true }))).toBe(false);
  const [zoomed, went]: number[][] = [[], []];
  for (const seconds of [1, 0.5, 0.5]) goOn('w', seconds, { zoom: (by) => zoomed?.push(by), move: vi.fn() });
  for (const seconds of [1, 0.5, 0.5]) goOn('a', seconds, { zoom: vi.fn(), move: (by) => went?.push(by) });
  expect(zoomed?.[0]).toBeCloseTo((zoomed?.[1] ?? 0) * (zoomed?.[2] ?? 0));
  expect(went?.[0]).toBeCloseTo((went?.[1] ?? 0) + (went?.[2] ?? 0));
  expect(zoomed?.[0]).toBeLessThan(1);
  expect(went?.[0]).toBeLessThan(0);
});

it('other keys, those of the browser, and Escape with nothing to give up are not taken', () => {
  expect(pressed(key('z'), acts)).toBe(false);
  expect(pressed(key('f', { ctrlKey: true }), acts)).toBe(false);
  expect(pressed(key('Escape'), acts)).toBe(false);
  expect(acts.zoomToChosen).not.toHaveBeenCalled();
});
