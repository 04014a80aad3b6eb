// @vitest-environment happy-dom
// Keys are commands outside of fields only, and each has one meaning.
import { expect, it } from 'vitest';
import { COMMANDS, commandOf } from './keys';

function press(key: string, more: KeyboardEventInit = {}, target: HTMLElement = document.body): string | null {
  document.body.append(target === document.body ? '' : target);
  let found: string | null = null;
  const listen = (event: KeyboardEvent) => (found = commandOf(event));
  window.addEventListener('keydown', listen);
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...more }));
  window.removeEventListener('keydown', listen);
  return found;
}

it('knows its commands', () => {
  expect(press('/')).toBe('search');
  expect(press('?', { shiftKey: true })).toBe('help');
  expect(press('k', { ctrlKey: true })).toBe('palette');
  expect(press('k', { metaKey: true })).toBe('palette');
  expect(press('.', { ctrlKey: true })).toBe('list');
  expect(press('x')).toBeNull();
});

it('leaves the browser its own keys', () => {
  expect(press('r', { ctrlKey: true })).toBeNull();
  expect(press('t', { metaKey: true })).toBeNull();
});

it('takes letters in a field as text', () => {
  const field = document.createElement('input');
  expect(press('t', {}, field)).toBeNull();
  expect(press('k', { ctrlKey: true }, field)).toBe('palette');
  const slider = document.createElement('input');
  slider.type = 'range';
  expect(press(']', {}, slider)).toBe('smoother');
});

it('shows each key once', () => {
  expect(new Set(COMMANDS.map((command) => command.keys)).size).toBe(COMMANDS.length);
});
