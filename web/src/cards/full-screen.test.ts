// @vitest-environment happy-dom
// A key enlarges the card that the keyboard is in, before the one under the pointer, and puts it back.
import { afterEach, expect, it, vi } from 'vitest';
import { cardAtHand, FullScreen, toggleFullScreen } from './full-screen.svelte';

/** What the browser has full screen; happy-dom has no screen. */
let filling: Element | null = null;
Object.defineProperty(document, 'fullscreenElement', { configurable: true, get: () => filling });

function addCard(): HTMLElement {
  const card = document.createElement('article');
  card.className = 'card';
  card.requestFullscreen = () => {
    filling = card;
    card.dispatchEvent(new Event('fullscreenchange'));
    return Promise.resolve();
  };
  document.body.append(card);
  return card;
}

document.exitFullscreen = () => {
  const card = filling;
  filling = null;
  card?.dispatchEvent(new Event('fullscreenchange'));
  return Promise.resolve();
};

afterEach(() => {
  filling = null;
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

it('has the height of the screen until the card is back in its place', () => {
  const card = addCard();
  const other = addCard();
  const [own, others] = [new FullScreen(), new FullScreen()];
  const leave = own.follow(card);
  others.follow(other);
  toggleFullScreen(card);
  expect([own.height, others.height]).toEqual([window.innerHeight, null]);
  toggleFullScreen(other);
  expect([own.height, others.height]).toEqual([null, null]);
  leave();
  toggleFullScreen(card);
  expect(own.height).toBeNull();
});

it('does nothing without a card', () => {
  toggleFullScreen(null);
  expect(filling).toBeNull();
});

it('takes the card that the keyboard is in before the one under the pointer', () => {
  const [focused, hovered] = [addCard(), addCard()];
  const matches: Record<string, Element | null> = {
    'article.card:has(:focus-visible)': focused,
    'article.card:hover': hovered,
  };
  vi.spyOn(document, 'querySelector').mockImplementation((selector) => matches[selector] ?? null);
  expect(cardAtHand()).toBe(focused);
  matches['article.card:has(:focus-visible)'] = null;
  expect(cardAtHand()).toBe(hovered);
});
