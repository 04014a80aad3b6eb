// Preferences come back as they were kept, and foreign storage does no harm.
import { expect, it } from 'vitest';
import { changedSince, defaultPreferences, keptOf, loadPreferences, savePreferences } from './preferences';
import { defaultView } from './view';

const holding = (text: string | null) => ({ getItem: () => text });

it('keeps what it is given', () => {
  let text = '';
  const kept = { ...defaultPreferences(), theme: 'dark' as const, listWidth: 420, view: keptOf(defaultView()) };
  savePreferences({ setItem: (_key, value) => (text = value) }, kept);
  expect(loadPreferences(holding(text))).toEqual(kept);
});

it.each([null, '', '{', '[]', '7', '{"theme":"pink","listWidth":9999,"dismissed":[1],"view":3}'])(
  'starts with the defaults after %s',
  (text) => {
    expect(loadPreferences(holding(text))).toEqual(defaultPreferences());
  },
);

it('goes on without storage', () => {
  const refuse = () => {
    throw new DOMException('denied', 'SecurityError');
  };
  expect(loadPreferences({ getItem: refuse })).toEqual(defaultPreferences());
  expect(() => savePreferences({ setItem: refuse }, defaultPreferences())).not.toThrow();
});

it('knows what the user has changed', () => {
  const before = keptOf(defaultView());
  expect(changedSince(before, { ...before })).toEqual({});
  expect(changedSince(before, { ...before, x: 'wall', tree: !before.tree })).toEqual({ x: 'wall', tree: !before.tree });
});
