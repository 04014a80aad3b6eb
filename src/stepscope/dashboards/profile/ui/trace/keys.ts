// Keys of the timeline, each with what it does.

/** What keys can do. */
export interface KeyActs {
  /** Closer below one. */
  zoom(factor: number): void;
  /** By a share of the window. */
  move(share: number): void;
  /** To the span before or after, around or inside. */
  beside(forward: boolean): void;
  across(by: 1 | -1): void;
  fit(): void;
  zoomToChosen(): void;
  hit(forward: boolean): void;
  /** To the step, or the idle gap, before or after what is shown. */
  step(forward: boolean): void;
  gap(forward: boolean): void;
  /** To the longest span of the chosen one's name, or of its track. */
  longest(of: 'name' | 'track'): void;
  bookmark(): void;
  find(): void;
  /** Answers whether there was something to give up. */
  escape(): boolean;
}

const CLOSER = 0.6;
const ASIDE = 0.2;

const KEYS: Readonly<Record<string, (acts: KeyActs) => void>> = {
  w: (acts) => acts.zoom(CLOSER),
  '+': (acts) => acts.zoom(CLOSER),
  '=': (acts) => acts.zoom(CLOSER),
  s: (acts) => acts.zoom(1 / CLOSER),
  '-': (acts) => acts.zoom(1 / CLOSER),
  a: (acts) => acts.move(-ASIDE),
  d: (acts) => acts.move(ASIDE),
  ArrowLeft: (acts) => acts.beside(false),
  ArrowRight: (acts) => acts.beside(true),
  ArrowUp: (acts) => acts.across(-1),
  ArrowDown: (acts) => acts.across(1),
  Home: (acts) => acts.fit(),
  '0': (acts) => acts.fit(),
  f: (acts) => acts.zoomToChosen(),
  ',': (acts) => acts.hit(false),
  '.': (acts) => acts.hit(true),
  q: (acts) => acts.step(false),
  e: (acts) => acts.step(true),
  G: (acts) => acts.gap(false),
  g: (acts) => acts.gap(true),
  l: (acts) => acts.longest('name'),
  L: (acts) => acts.longest('track'),
  m: (acts) => acts.bookmark(),
  '/': (acts) => acts.find(),
};

/** Windows that a held key moves by in a second, and the power of e that it zooms by. */
const MOVED_A_SECOND = 1.2;
const ZOOMED_A_SECOND = 2.5;

type Moves = Pick<KeyActs, 'zoom' | 'move'>;
const closer = (acts: Moves, seconds: number): void => acts.zoom(Math.exp(-ZOOMED_A_SECOND * seconds));
const farther = (acts: Moves, seconds: number): void => acts.zoom(Math.exp(ZOOMED_A_SECOND * seconds));

/** What keys do in some seconds while they are held. */
const HELD: Readonly<Record<string, (acts: Moves, seconds: number) => void>> = {
  w: closer,
  '+': closer,
  '=': closer,
  s: farther,
  '-': farther,
  a: (acts, seconds) => acts.move(-MOVED_A_SECOND * seconds),
  d: (acts, seconds) => acts.move(MOVED_A_SECOND * seconds),
};

/** Whether a key goes on while it is held; others are repeated by the keyboard. */
export const canBeHeld = ({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  !altKey && !ctrlKey && !metaKey && Object.hasOwn(HELD, key.toLowerCase());

export const goOn = (key: string, seconds: number, acts: Moves): void => HELD[key.toLowerCase()]?.(acts, seconds);

/** Does what a key means; answers whether it means anything here. */
export function pressed({ key, altKey, ctrlKey, metaKey }: KeyboardEvent, acts: KeyActs): boolean {
  if (altKey || ctrlKey || metaKey) return false;
  if (key === 'Escape') return acts.escape();
  const act = KEYS[key] ?? KEYS[key.toLowerCase()];
  act?.(acts);
  return act !== undefined;
}
